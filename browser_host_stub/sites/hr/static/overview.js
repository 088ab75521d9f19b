const COLUMNS = [
  { title: "申报单号", dataIndex: "id" }, { title: "申报月份", dataIndex: "month" }, { title: "缴费单位", dataIndex: "unit" },
  { title: "参保人数", dataIndex: "people" }, { title: "状态", dataIndex: "status" }, { title: "回执号", dataIndex: "receipt" },
];

hr.start({
  data: () => ({ summary: null, columns: COLUMNS }),
  async mounted() {
    this.summary = await hr.attempt(() => demo.get("/api/summary"));
  },
  template: `
    <div class="home-page" :data-state="summary ? 'ready' : 'loading'">
      <div v-if="summary" class="hr-stats">
        <div class="hr-card" data-stat="people"><a-statistic title="在册员工" :value="summary.people" suffix="人"></a-statistic></div>
        <div class="hr-card" data-stat="units"><a-statistic title="所属单位" :value="summary.units" suffix="家"></a-statistic></div>
        <div class="hr-card" data-stat="declared"><a-statistic title="已申报单位·月" :value="summary.declared"></a-statistic></div>
        <div class="hr-card" data-stat="checked"><a-statistic title="已核验工资单" :value="summary.checked" suffix="张"></a-statistic></div>
      </div>
      <section v-if="summary" class="hr-card">
        <h2>最近申报（可申报月份：{{ summary.months.join('、') }}）</h2>
        <a-table row-key="id" size="middle" :columns="columns" :data-source="summary.declarations" :pagination="false"></a-table>
      </section>
    </div>`,
});
