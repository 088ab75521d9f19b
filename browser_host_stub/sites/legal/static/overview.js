legal.start({
  data: () => ({ summary: { statuses: {}, amount: "0.00" } }),
  async mounted() { this.summary = (await legal.attempt(() => demo.get("/api/summary"))) ?? this.summary; },
  template: `
    <div class="stat-cards">
      <el-card><div>合同总数</div><div class="stat-number">{{ summary.contracts }}</div></el-card>
      <el-card><div>履约中</div><div class="stat-number">{{ summary.statuses['履约中'] }}</div></el-card>
      <el-card><div>逾期节点</div><div class="stat-number late-mark">{{ summary.late }}</div></el-card>
      <el-card><div>履约中合同金额（元）</div><div class="stat-number">{{ money(summary.amount) }}</div></el-card>
    </div>
    <el-alert style="margin-top: 16px" type="warning" :closable="false"
      :title="'有 ' + summary.untreated + ' 个逾期节点尚未处置，请到“履约监测”处理。'"></el-alert>`,
});
