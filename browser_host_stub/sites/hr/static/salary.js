const COLUMNS = [
  { title: "工号", dataIndex: "number", key: "number", width: 96, fixed: "left" },
  { title: "姓名", dataIndex: "name", key: "name", width: 84, fixed: "left" },
  { title: "部门", dataIndex: "department", key: "department", width: 116 },
  { title: "发薪日期", dataIndex: "paid", key: "paid", width: 106 },
  { title: "应发合计", key: "gross", width: 106, align: "right" },
  { title: "社保个人", key: "insurance", width: 110, align: "right" },
  { title: "代扣个税", key: "tax", width: 110, align: "right" },
  { title: "实发金额", key: "net", width: 120, align: "right" },
  { title: "收款卡号", dataIndex: "card", key: "card", width: 190 },
  { title: "异常", key: "anomalies", width: 130 },
  { title: "状态", key: "status", width: 90, fixed: "right" },
  { title: "操作", key: "acts", width: 120, fixed: "right" },
];
const COLOURS = { 待核验: "processing", 已通过: "success", 已退回: "error" };

hr.start({
  data() {
    const month = demo.today.slice(0, 7);
    return {
      unit: "集团总部", units: [], range: [`${month}-01`, dayjs(month).endOf("month").format("YYYY-MM-DD")], person: undefined, people: [], searching: false,
      only: false, department: "", page: 1, answer: null, loading: true, error: "", picked: [],
      drawer: "", ids: [], reason: "", sending: false, drawerKey: "", drawerError: "", results: null, columns: COLUMNS, asked: 0,
    };
  },
  computed: {
    pagination() { return this.answer ? hr.pager(this.answer) : false; },
    tabs() {
      const counts = this.answer?.departments ?? {};
      const all = Object.values(counts).reduce((total, count) => total + count, 0);
      return [{ key: "", name: `全部（${all}）` }, ...Object.entries(counts).map(([key, count]) => ({ key, name: `${key}（${count}）` }))];
    },
    selection() {
      return {
        selectedRowKeys: this.picked, onChange: (keys) => { this.picked = keys; }, fixed: true,
        getCheckboxProps: (row) => ({ disabled: row.status !== "待核验" }),
      };
    },
    odd() { return this.ids.filter((id) => this.answer?.rows.find((row) => row.id === id)?.anomalies.length).length; },
  },
  async mounted() {
    const options = await hr.attempt(() => demo.get("/api/insurance/options"));
    this.units = Object.entries(options?.units ?? {}).map(([city, units]) => ({ label: city, options: units.map((value) => ({ value, label: value })) }));
    await this.load();
  },
  methods: {
    async load() {
      this.loading = true;
      this.error = "";
      const [first, last] = this.range ?? [];
      const asked = { unit: this.unit, first, last, person: this.person, department: this.department, page: this.page, anomalies: this.only ? "1" : "" };
      const answer = await hr.attempt(() => demo.get("/api/salary", asked), (error) => { this.error = error.message; });
      if (answer) this.answer = answer;
      this.picked = [];
      this.loading = false;
    },
    query() { this.page = 1; return this.load(); },
    turn({ current }) { this.page = current; return this.load(); },
    // The list follows the words after a pause, and an answer to older words is dropped.
    search(words) {
      clearTimeout(this.pause);
      const asked = ++this.asked;
      this.searching = true;
      this.pause = setTimeout(async () => {
        const answer = await hr.attempt(() => demo.get("/api/salary/people", { q: words, unit: this.unit }));
        if (asked !== this.asked) return;
        this.people = answer?.people ?? [];
        this.searching = false;
      }, 250);
    },
    changeUnit() { this.person = undefined; this.people = []; this.department = ""; return this.query(); },
    open(kind, ids) {
      if (!ids.length) { hr.message.warning("请先勾选要处理的工资单"); return; }
      Object.assign(this, { drawer: kind, ids: [...ids], reason: "", drawerError: "", drawerKey: hr.key() });
    },
    async decide() {
      this.sending = true;
      this.drawerError = "";
      const order = { ids: this.ids, decision: this.drawer, reason: this.reason, key: this.drawerKey };
      const answer = await hr.attempt(() => demo.post("/api/salary/decide", order), (error) => { this.drawerError = error.message; });
      this.sending = false;
      if (!answer) return;
      const failed = answer.results.filter((one) => !one.ok);
      this.results = { done: answer.results.length - failed.length, failed };
      this.drawer = "";
      hr.message[failed.length ? "warning" : "success"](`处理完成：成功 ${this.results.done} 张，失败 ${failed.length} 张`);
      await this.load();
    },
    colour: (status) => COLOURS[status],
    rowClass: (row) => (row.anomalies.length ? "row-odd" : ""),
    close(open) { if (!open) this.drawer = ""; },
  },
  template: `
    <div class="salary-page" :data-state="loading ? 'loading' : 'ready'">
      <section class="hr-card">
        <div class="hr-bar salary-filter" data-zone="filter">
          <div class="hr-pair"><label>单位</label><a-select id="salary-unit" v-model:value="unit" :options="units" style="width:180px" @change="changeUnit"></a-select></div>
          <div class="hr-pair"><label>发薪日期</label><a-range-picker id="salary-range" v-model:value="range" value-format="YYYY-MM-DD" style="width:250px"></a-range-picker></div>
          <div class="hr-pair"><label>员工</label><a-select id="salary-person" v-model:value="person" show-search allow-clear :filter-option="false" :options="people" :not-found-content="searching ? '搜索中…' : '无匹配员工'" placeholder="姓名或工号" style="width:230px" @search="search"></a-select></div>
          <a-button id="salary-query" type="primary" @click="query">查询</a-button>
          <span class="hr-fill"></span>
          <div class="hr-pair"><label>仅看异常</label><a-switch id="salary-only" v-model:checked="only" @change="query"></a-switch></div>
        </div>
        <p v-show="error" class="hr-error salary-error" role="alert">{{ error }}</p>
      </section>
      <section v-if="answer" class="hr-card">
        <div class="hr-bar salary-bar" data-zone="bar">
          <a-button id="salary-pass" type="primary" @click="open('pass', picked)">核验通过</a-button>
          <a-button id="salary-return" danger @click="open('return', picked)">退回</a-button>
          <span class="hr-fill"></span>
          <span class="hr-sums salary-sums">共 <b class="salary-total">{{ answer.total }}</b> 张，实发合计 <b class="salary-net">{{ yuan(answer.net_cents) }}</b> 元，异常 <b class="salary-odd">{{ answer.anomalies }}</b> 张，待核验 <b class="salary-waiting">{{ answer.waiting }}</b> 张</span>
        </div>
        <div v-if="results" class="salary-results" role="status" :data-done="results.done" :data-failed="results.failed.length">
          处理结果：成功 <b>{{ results.done }}</b> 张，失败 <b>{{ results.failed.length }}</b> 张
          <p v-for="one in results.failed" class="hr-error salary-failed" :data-id="one.id" :data-code="one.code">{{ one.message }}</p>
        </div>
        <a-tabs v-model:active-key="department" class="salary-tabs" @change="query"><a-tab-pane v-for="tab in tabs" :key="tab.key" :tab="tab.name"></a-tab-pane></a-tabs>
        <a-table class="salary-table" row-key="id" size="small" :loading="loading" :columns="columns" :data-source="answer.rows" :pagination="pagination" :row-selection="selection"
          :row-class-name="rowClass" :scroll="{ x: 1290 }" @change="turn">
          <template #bodyCell="{ column, record }">
            <span v-if="column.key === 'gross'" class="num">{{ yuan(record.gross_cents) }}</span>
            <span v-else-if="column.key === 'insurance'" class="num">{{ yuan(record.insurance_cents) }}</span>
            <span v-else-if="column.key === 'tax'" class="num">{{ yuan(record.tax_cents) }}</span>
            <span v-else-if="column.key === 'net'" class="num">{{ yuan(record.net_cents) }}</span>
            <template v-else-if="column.key === 'anomalies'"><a-tag v-for="one in record.anomalies" class="slip-anomaly" :data-id="record.id" color="orange">{{ one.kind }}</a-tag></template>
            <a-tag v-else-if="column.key === 'status'" class="slip-status" :data-id="record.id" :color="colour(record.status)">{{ record.status }}</a-tag>
            <template v-else-if="column.key === 'acts'">
              <a-button class="slip-pass" type="link" size="small" :data-id="record.id" :disabled="record.status !== '待核验'" @click="open('pass', [record.id])">通过</a-button>
              <a-button class="slip-return" type="link" size="small" danger :data-id="record.id" :disabled="record.status !== '待核验'" @click="open('return', [record.id])">退回</a-button>
            </template>
          </template>
          <template #expandedRowRender="{ record }">
            <dl class="slip-detail" :data-id="record.id">
              <div><dt>基本工资</dt><dd>{{ yuan(record.basic_cents) }}</dd></div><div><dt>绩效奖金</dt><dd>{{ yuan(record.bonus_cents) }}</dd></div>
              <div><dt>加班工资</dt><dd>{{ yuan(record.overtime_cents) }}</dd></div><div><dt>津贴补贴</dt><dd>{{ yuan(record.allowance_cents) }}</dd></div>
              <div><dt>上月实发</dt><dd>{{ yuan(record.last_net_cents) }}</dd></div><div><dt>岗位</dt><dd>{{ record.position }}</dd></div>
              <div><dt>异常说明</dt><dd>{{ record.anomalies.map((one) => one.text).join('；') || '无' }}</dd></div><div><dt>处理说明</dt><dd>{{ record.reason || '无' }}</dd></div>
            </dl>
          </template>
        </a-table>
      </section>
      <a-drawer :open="drawer !== ''" root-class-name="decide-drawer" :title="drawer === 'return' ? '退回工资单' : '核验通过'" width="420" @update:open="close">
        <p>共 <b>{{ ids.length }}</b> 张工资单<span v-if="odd">，其中 <b>{{ odd }}</b> 张存在异常</span>。</p>
        <p class="hr-note">{{ drawer === 'return' ? '退回须填写原因，至少 5 个字。' : '存在异常的工资单须填写通过说明，至少 5 个字。' }}</p>
        <a-textarea id="decide-reason" v-model:value="reason" :rows="5" :maxlength="200" show-count placeholder="请填写说明"></a-textarea>
        <p v-show="drawerError" class="hr-error decide-error" role="alert">{{ drawerError }}</p>
        <template #footer>
          <div class="decide-footer" data-zone="decide-footer" style="display:flex;gap:10px;justify-content:flex-end">
            <a-button id="decide-cancel" @click="drawer = ''">取消</a-button>
            <a-button id="decide-ok" type="primary" data-act :loading="sending" @click="decide">确定</a-button>
          </div>
        </template>
      </a-drawer>
    </div>`,
});
