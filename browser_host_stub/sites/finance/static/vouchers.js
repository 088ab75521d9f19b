const money = ({ cellValue }) => (cellValue ? fin.yuan(cellValue) : "");
const COLUMNS = [
  { type: "seq", title: "序号", width: 60 },
  { field: "day", title: "凭证日期", width: 110 },
  { field: "number", title: "凭证字号", width: 130 },
  { field: "department", title: "部门", width: 110 },
  { field: "subject_code", title: "科目编号", width: 110 },
  { field: "subject_name", title: "科目名称", minWidth: 200 },
  { field: "summary", title: "摘要", minWidth: 160 },
  { field: "debit", title: "借方金额", width: 130, align: "right", formatter: money },
  { field: "credit", title: "贷方金额", width: 130, align: "right", formatter: money },
  { field: "preparer", title: "制单人", width: 90 },
  { field: "status", title: "状态", width: 84 },
];

fin.start({
  data() {
    const month = document.getElementById("fin-app").dataset.month;
    return { first: month, last: month, department: "", words: "", page: 1, answer: null, loading: true, error: "", columns: Vue.markRaw(COLUMNS) };
  },
  computed: {
    departments() { return (this.answer?.departments ?? []).map((value) => ({ label: value, value })); },
    numbering() { return { startIndex: (this.answer.page - 1) * this.answer.page_size }; },
    layouts() {
      return demo.paging.style === "simple"
        ? ["PrevPage", "CurrentPage", "PageCount", "NextPage", "Total"]
        : ["Home", "PrevPage", "JumpNumber", "NextPage", "End", "FullJump", "Total"];
    },
  },
  mounted() { return this.load(); },
  methods: {
    async load() {
      this.loading = true;
      this.error = "";
      const asked = { first: this.first, last: this.last, department: this.department, q: this.words, page: this.page };
      const answer = await fin.attempt(() => demo.get("/api/vouchers", asked), (error) => { this.error = error.message; });
      if (answer) this.answer = Vue.markRaw(answer);
      this.loading = false;
    },
    query() { this.page = 1; return this.load(); },
    turn({ currentPage }) { this.page = currentPage; return this.load(); },
    clear() { this.department = ""; this.words = ""; return this.query(); },
    footer({ columns }) {
      const answer = this.answer;
      const line = (name, debit, credit) => columns.map(({ field }) => ({ day: name, debit: fin.yuan(debit), credit: fin.yuan(credit) })[field] ?? "");
      if (!answer) return [];
      return [line("本页合计", answer.page_debit_cents, answer.page_credit_cents), line("全部合计", answer.debit_cents, answer.credit_cents)];
    },
  },
  template: `
    <div class="voucher-page" :data-state="loading ? 'loading' : 'ready'">
      <section class="fin-card">
        <div class="fin-bar voucher-filter" data-zone="filter">
          <div class="fin-pair"><label>凭证月份</label><vxe-date-picker id="voucher-first" v-model="first" type="month" value-format="yyyy-MM" :clearable="false" transfer style="width:130px"></vxe-date-picker></div>
          <span>至</span>
          <vxe-date-picker id="voucher-last" v-model="last" type="month" value-format="yyyy-MM" :clearable="false" transfer style="width:130px"></vxe-date-picker>
          <div class="fin-pair"><label>部门</label><vxe-select id="voucher-department" v-model="department" :options="departments" placeholder="全部部门" clearable transfer style="width:150px"></vxe-select></div>
          <div class="fin-pair"><label>关键字</label><vxe-input id="voucher-words" v-model="words" placeholder="凭证字号、科目、摘要" style="width:200px"></vxe-input></div>
          <vxe-button id="voucher-query" status="primary" @click="query">查询</vxe-button>
          <vxe-button id="voucher-reset" @click="clear">重置</vxe-button>
        </div>
        <p v-show="error" class="fin-error voucher-error" role="alert">{{ error }}</p>
      </section>
      <section v-if="answer" class="fin-card">
        <p class="fin-sums voucher-sums">共 <b class="voucher-total">{{ answer.total }}</b> 条分录，借方合计 <b class="voucher-debit">{{ yuan(answer.debit_cents) }}</b> 元，贷方合计 <b class="voucher-credit">{{ yuan(answer.credit_cents) }}</b> 元</p>
        <vxe-grid class="voucher-grid" border stripe size="small" height="500" show-footer :loading="loading" :columns="columns" :data="answer.rows" :footer-method="footer"
          show-overflow :seq-config="numbering"></vxe-grid>
        <vxe-pager class="voucher-pager" :current-page="answer.page" :page-size="answer.page_size" :total="answer.total" :layouts="layouts" @page-change="turn"></vxe-pager>
      </section>
    </div>`,
});
