const dayRow = { field: "day", title: "日期", width: 100, sortable: true };
const lineColumns = (reference) => [
  { type: "checkbox", width: 40, fixed: "left" },
  dayRow,
  { field: "reference", title: reference, width: 118 },
  { field: "party", title: "对方单位", minWidth: 100 },
  { field: "summary", title: "摘要", width: 82 },
  { field: "cents", title: "金额（元）", width: 112, align: "right", sortable: true, slots: { default: "amount" } },
  { field: "match", title: "勾对", width: 78, fixed: "right", filters: [{ label: "未勾对", value: "open" }, { label: "已勾对", value: "done" }],
    filterMethod: ({ value, row }) => (value === "open") === !row.match, slots: { default: "match" } },
];
const DIFFERENCE_COLUMNS = [
  { type: "seq", title: "序号", width: 60 },
  { field: "kind", title: "未达类型", width: 150, filters: ["银行已收企业未收", "银行已付企业未付", "企业已收银行未收", "企业已付银行未付"].map((value) => ({ label: value, value })) },
  { field: "id", title: "记录编号", width: 120 },
  dayRow,
  { field: "reference", title: "凭证/流水号", width: 150 },
  { field: "party", title: "对方单位", minWidth: 150 },
  { field: "cents", title: "金额（元）", width: 130, align: "right", slots: { default: "amount" } },
  { field: "note", title: "差异说明", minWidth: 220, editRender: { name: "VxeInput", props: { placeholder: "点击填写", maxlength: 120 } } },
];
// Made once: a grid does its work again for every new object it is given.
const GRID = Vue.markRaw({
  border: true, stripe: true, size: "mini", showFooter: true, showOverflow: true, keepSource: true,
  rowConfig: { keyField: "id", isHover: true }, virtualYConfig: { enabled: true, gt: 0 },
});

fin.start({
  data: () => ({
    grid: GRID,
    accounts: [], account: "ICBC", month: "", work: null, loading: true, error: "",
    bankColumns: Vue.markRaw(lineColumns("银行流水号")), ledgerColumns: Vue.markRaw(lineColumns("凭证字号")), differenceColumns: Vue.markRaw(DIFFERENCE_COLUMNS),
    chosenBank: [], chosenLedger: [], note: "", confirming: false, confirmKey: "", sending: false,
  }),
  computed: {
    choosing() { return { checkMethod: ({ row }) => !row.match && !this.locked }; },
    noting() { return { trigger: "click", mode: "cell", showStatus: true, beforeEditMethod: () => !this.locked }; },
    locked() { return !this.work || Boolean(this.work.confirmed_by); },
    bankSum() { return this.chosenBank.reduce((total, row) => total + row.cents, 0); },
    ledgerSum() { return this.chosenLedger.reduce((total, row) => total + row.cents, 0); },
    path() { return `/api/recon/${this.account}/${this.month}`; },
    silent() { return this.work ? this.work.differences.filter((row) => !row.note).length : 0; },
  },
  async mounted() {
    // Last month is the one that is reconciled now.
    const [year, month] = document.getElementById("fin-app").dataset.month.split("-").map(Number);
    this.month = month === 1 ? `${year - 1}-12` : `${year}-${String(month - 1).padStart(2, "0")}`;
    const answer = await fin.attempt(() => demo.get("/api/accounts"));
    this.accounts = (answer?.accounts ?? []).map((one) => ({ value: one.code, label: `${one.name}（${one.number}）` }));
    await this.load();
  },
  methods: {
    async load() {
      this.loading = true;
      this.error = "";
      const work = await fin.attempt(() => demo.get(this.path), (error) => { this.error = error.message; });
      if (work) this.work = Vue.markRaw(work);
      this.chosenBank = [];
      this.chosenLedger = [];
      this.loading = false;
    },
    chooseBank() { this.chosenBank = this.$refs.bank.getCheckboxRecords(true); },
    chooseLedger() { this.chosenLedger = this.$refs.ledger.getCheckboxRecords(true); },
    footer({ columns, data }) {
      const sum = data.reduce((total, row) => total + row.cents, 0);
      return [columns.map(({ field }) => ({ day: "合计", reference: `${data.length} 笔`, cents: fin.yuan(sum) })[field] ?? "")];
    },
    async change(path, body, done) {
      const answer = await fin.attempt(() => demo.post(`${this.path}/${path}`, body), (error) => { this.error = error.message; });
      if (!answer) return false;
      await this.load();
      fin.toast("success", done(answer));
      return true;
    },
    auto() { return this.change("auto", {}, (answer) => `自动对账完成，新勾对 ${answer.matched} 组`); },
    manual() {
      const ids = (rows) => rows.map((row) => row.id);
      if (!this.chosenBank.length || !this.chosenLedger.length) { this.error = "请在银行流水和企业账中各勾选至少一笔"; return; }
      this.change("match", { bank: ids(this.chosenBank), ledger: ids(this.chosenLedger) }, () => "手工勾对成功");
    },
    undo(row) { this.change("unmatch", { match: row.match }, () => `已取消勾对 ${row.match}`); },
    async noted({ row, column }) {
      if (column.field !== "note" || !this.$refs.differences.isUpdateByRow(row, "note")) return;
      const answer = await fin.attempt(() => demo.post(`${this.path}/note`, { lines: [row.id], note: row.note ?? "" }));
      if (!answer) { await this.$refs.differences.revertData(row, "note"); return; }
      await this.load();
    },
    explainRest() {
      const lines = this.work.differences.filter((row) => !row.note).map((row) => row.id);
      if (!lines.length) { this.error = "没有待填写说明的差异"; return; }
      this.change("note", { lines, note: this.note }, () => `已为 ${lines.length} 笔差异填写说明`);
    },
    ask() {
      this.confirmKey = fin.key();
      this.error = "";
      this.confirming = true;
    },
    async confirm() {
      this.sending = true;
      const body = { differences: this.work.differences.length, key: this.confirmKey };
      await this.change("confirm", body, () => `${this.month} 对账已确认`);
      this.sending = false;
      this.confirming = false;
    },
    exportList() { location.assign(`${this.path}/differences.xlsx`); },
  },
  template: `
    <div class="recon-page" :data-state="loading ? 'loading' : 'ready'" :data-confirmed="work && work.confirmed_by ? 'yes' : 'no'">
      <section class="fin-card">
        <div class="fin-bar recon-filter" data-zone="filter">
          <div class="fin-pair"><label>银行账户</label><vxe-select id="recon-account" v-model="account" :options="accounts" transfer style="width:290px" @change="load"></vxe-select></div>
          <div class="fin-pair"><label>对账月份</label><vxe-date-picker id="recon-month" v-model="month" type="month" value-format="yyyy-MM" :clearable="false" transfer style="width:150px" @change="load"></vxe-date-picker></div>
          <vxe-button id="recon-auto" status="primary" :disabled="locked" @click="auto">自动对账</vxe-button>
          <vxe-button id="recon-match" :disabled="locked" @click="manual">手工勾对</vxe-button>
          <vxe-button id="recon-confirm" status="success" :disabled="locked" @click="ask">确认对账</vxe-button>
          <span v-show="work && work.confirmed_by" class="recon-done">已由{{ work && work.confirmed_by }}确认</span>
        </div>
        <p class="fin-sums recon-chosen">已选银行流水 <b>{{ chosenBank.length }}</b> 笔 <b>{{ yuan(bankSum) }}</b> 元，企业账 <b>{{ chosenLedger.length }}</b> 笔 <b>{{ yuan(ledgerSum) }}</b> 元，差额 <b>{{ yuan(bankSum - ledgerSum) }}</b> 元</p>
        <p v-show="error" class="fin-error recon-error" role="alert">{{ error }}</p>
      </section>
      <section v-if="work" class="recon-pair">
        <div class="fin-card">
          <h2>银行流水</h2>
          <vxe-grid ref="bank" class="bank-grid" v-bind="grid" height="420" :footer-method="footer" :columns="bankColumns" :data="work.bank"
            :checkbox-config="choosing" @checkbox-change="chooseBank" @checkbox-all="chooseBank">
            <template #amount="{ row }"><span :class="row.cents < 0 ? 'amount-out' : 'amount-in'">{{ yuan(row.cents) }}</span></template>
            <template #match="{ row }"><button v-if="row.match && !locked" type="button" class="match-undo" :data-match="row.match" :title="'取消' + row.how + '勾对'" @click="undo(row)">{{ row.match }}</button><span v-else>{{ row.match || '未勾对' }}</span></template>
          </vxe-grid>
        </div>
        <div class="fin-card">
          <h2>企业银行日记账</h2>
          <vxe-grid ref="ledger" class="ledger-grid" v-bind="grid" height="420" :footer-method="footer" :columns="ledgerColumns" :data="work.ledger"
            :checkbox-config="choosing" @checkbox-change="chooseLedger" @checkbox-all="chooseLedger">
            <template #amount="{ row }"><span :class="row.cents < 0 ? 'amount-out' : 'amount-in'">{{ yuan(row.cents) }}</span></template>
            <template #match="{ row }"><button v-if="row.match && !locked" type="button" class="match-undo" :data-match="row.match" :title="'取消' + row.how + '勾对'" @click="undo(row)">{{ row.match }}</button><span v-else>{{ row.match || '未勾对' }}</span></template>
          </vxe-grid>
        </div>
      </section>
      <section v-if="work" class="fin-card">
        <h2>余额调节表</h2>
        <dl class="recon-balance">
          <div><dt>银行对账单余额</dt><dd data-balance="bank">{{ yuan(work.balance.bank_closing) }}</dd></div>
          <div><dt>企业账面余额</dt><dd data-balance="ledger">{{ yuan(work.balance.ledger_closing) }}</dd></div>
          <div><dt>调节后银行余额</dt><dd data-balance="bank-adjusted">{{ yuan(work.balance.bank_adjusted) }}</dd></div>
          <div><dt>调节后企业余额</dt><dd data-balance="ledger-adjusted">{{ yuan(work.balance.ledger_adjusted) }}</dd></div>
        </dl>
      </section>
      <section v-if="work" class="fin-card">
        <div class="fin-bar difference-bar" data-zone="differences">
          <h2>差异明细</h2>
          <span class="fin-sums difference-total">共 <b>{{ work.differences.length }}</b> 笔，未说明 <b>{{ silent }}</b> 笔</span>
          <span class="fin-fill"></span>
          <vxe-input id="difference-note" v-model="note" placeholder="批量说明，例如：下月入账" maxlength="100" style="width:220px"></vxe-input>
          <vxe-button id="difference-explain" :disabled="locked" @click="explainRest">批量填写</vxe-button>
          <vxe-button id="difference-export" icon="vxe-icon-download" data-act @click="exportList">导出差异</vxe-button>
        </div>
        <vxe-grid ref="differences" class="difference-grid" v-bind="grid" height="360" :footer-method="footer" :columns="differenceColumns" :data="work.differences"
          :edit-config="noting" @edit-closed="noted">
          <template #amount="{ row }"><span :class="row.cents < 0 ? 'amount-out' : 'amount-in'">{{ yuan(row.cents) }}</span></template>
        </vxe-grid>
      </section>
      <vxe-modal v-model="confirming" id="recon-modal" title="确认对账" width="460" show-footer :mask-closable="false" destroy-on-close>
        <template #default>
          <p>{{ month }} 尚有差异 <b class="confirm-count">{{ work ? work.differences.length : 0 }}</b> 笔，调节后余额 <b class="confirm-balance">{{ work ? yuan(work.balance.bank_adjusted) : '' }}</b> 元。</p>
          <p class="fin-note">确认后本月对账结果将锁定，不能再勾对或修改说明。</p>
        </template>
        <template #footer>
          <div class="fin-bar confirm-footer" data-zone="confirm-footer">
            <span class="fin-fill"></span>
            <vxe-button id="confirm-cancel" @click="confirming = false">取消</vxe-button>
            <vxe-button id="confirm-ok" status="primary" data-act :loading="sending" @click="confirm">确认对账</vxe-button>
          </div>
        </template>
      </vxe-modal>
    </div>`,
});
