const MEMBER_COLUMNS = [
  { title: "工号", dataIndex: "id", key: "id", width: 100 },
  { title: "姓名", dataIndex: "name", key: "name", width: 90 },
  { title: "部门", dataIndex: "department", key: "department", width: 120 },
  { title: "身份证号", dataIndex: "id_number", key: "id_number", width: 190 },
  { title: "上年月均工资", key: "wage", width: 130, align: "right" },
  { title: "缴费基数（元）", key: "base", width: 170 },
  { title: "校验", key: "check" },
];
const SHARE_COLUMNS = [
  { title: "险种", dataIndex: "name", key: "name" },
  { title: "单位缴费（元）", key: "company", align: "right" },
  { title: "个人缴费（元）", key: "own", align: "right" },
];
const RECORD_COLUMNS = [
  { title: "申报单号", dataIndex: "id", key: "id" }, { title: "申报月份", dataIndex: "month", key: "month" },
  { title: "缴费单位", dataIndex: "unit", key: "unit" }, { title: "参保人数", dataIndex: "people", key: "people" },
  { title: "状态", key: "status" }, { title: "回执号", dataIndex: "receipt", key: "receipt" }, { title: "操作", key: "acts" },
];

hr.start({
  data: () => ({
    step: 0, busy: false, options: null, month: null, unit: undefined, sheet: null, members: [], picked: [], error: "",
    proofs: [], moving: false, target: [], asking: false, submitKey: "", receipt: null, records: [],
    memberColumns: MEMBER_COLUMNS, shareColumns: SHARE_COLUMNS, recordColumns: RECORD_COLUMNS,
  }),
  computed: {
    tree() {
      return Object.entries(this.options?.units ?? {}).map(([city, units]) => ({
        title: city, value: city, selectable: false, children: units.map((unit) => ({ title: unit, value: unit })),
      }));
    },
    transfer() {
      return (this.sheet?.roster ?? []).map((one) => ({ key: one.id, title: `${one.name} ${one.id}`, description: one.department }));
    },
    problems() {
      return Object.fromEntries((this.sheet?.problems ?? []).map((one) => [one.person, one]));
    },
    base() { return this.members.reduce((total, one) => total + Math.round((one.base ?? 0) * 100), 0); },
  },
  async mounted() {
    this.options = await hr.attempt(() => demo.get("/api/insurance/options"));
    await this.loadRecords();
  },
  methods: {
    async loadRecords() {
      const answer = await hr.attempt(() => demo.get("/api/insurance/declarations"));
      this.records = answer?.rows ?? [];
    },
    refused(error) { this.error = error.message; },
    // One order at a time: the buttons are busy until the answer is there.
    async order(work) {
      this.busy = true;
      this.error = "";
      const answer = await hr.attempt(work, this.refused);
      this.busy = false;
      return answer;
    },
    take(sheet) {
      const people = Object.fromEntries(sheet.roster.map((one) => [one.id, one]));
      this.sheet = sheet;
      this.members = sheet.members.map((one) => ({ ...people[one.person], base: one.base_cents / 100 }));
      this.proofs = sheet.proofs.map((one) => ({ uid: one.name, name: one.name, status: "done" }));
      this.month = sheet.month;
      this.unit = sheet.unit;
    },
    async begin() {
      const answer = await this.order(() => demo.post("/api/insurance/declarations", { month: this.month, unit: this.unit }));
      if (!answer) return;
      this.take(answer.declaration);
      this.receipt = null;
      this.step = 1;
      await this.loadRecords();
    },
    async resume(id) {
      const answer = await this.order(() => demo.get(`/api/insurance/declarations/${id}`));
      if (!answer) return;
      this.take(answer.declaration);
      this.receipt = answer.declaration.receipt ? answer.declaration : null;
      this.step = this.receipt ? 3 : answer.declaration.step;
    },
    async save() {
      const members = this.members.map((one) => ({ person: one.id, base: Number(one.base ?? 0).toFixed(2) }));
      const path = `/api/insurance/declarations/${this.sheet.id}/members`;
      const answer = await this.order(() => demo.put(path, { members }));
      if (answer) this.take(answer.declaration);
      return answer;
    },
    async saveDraft() {
      const answer = await this.save();
      if (answer) hr.message.success(`草稿已保存，${answer.problems.length} 人待处理`);
    },
    async toProofs() {
      const answer = await this.save();
      if (!answer) return;
      if (answer.problems.length) { this.error = `有 ${answer.problems.length} 人未通过校验，请调整后继续`; return; }
      this.step = 2;
    },
    removePicked() {
      this.members = this.members.filter((one) => !this.picked.includes(one.id));
      this.picked = [];
    },
    openTransfer() {
      this.target = this.members.map((one) => one.id);
      this.moving = true;
    },
    applyTransfer() {
      const known = Object.fromEntries(this.members.map((one) => [one.id, one]));
      const chosen = new Set(this.target);
      const roster = this.sheet.roster.filter((one) => chosen.has(one.id));
      this.members = roster.map((one) => known[one.id] ?? { ...one, base: one.wage_cents / 100 });
      this.moving = false;
    },
    async upload({ file, onSuccess, onError }) {
      const body = new FormData();
      body.append("proof", file);
      const path = `/api/insurance/declarations/${this.sheet.id}/proofs`;
      const answer = await this.order(() => demo.upload(path, body));
      if (answer) onSuccess(answer);
      else onError(new Error(this.error));
    },
    async forget(file) {
      if (file.status !== "done") return true;
      const answer = await this.order(() => demo.post(`/api/insurance/declarations/${this.sheet.id}/proofs/remove`, { name: file.name }));
      return Boolean(answer);
    },
    async toReview() {
      const answer = await this.order(() => demo.get(`/api/insurance/declarations/${this.sheet.id}`));
      if (!answer) return;
      this.take(answer.declaration);
      if (!this.proofs.length) { this.error = "请先上传工资证明材料"; return; }
      this.step = 3;
    },
    ask() {
      this.submitKey = hr.key();
      this.asking = true;
    },
    async submit() {
      const path = `/api/insurance/declarations/${this.sheet.id}/submit`;
      const answer = await this.order(() => demo.post(path, { key: this.submitKey }));
      this.asking = false;
      if (!answer) return;
      this.receipt = answer.declaration;
      hr.message.success("申报已提交");
      await this.loadRecords();
    },
    again() {
      Object.assign(this, { step: 0, sheet: null, members: [], proofs: [], receipt: null, month: null, unit: undefined, error: "" });
    },
    search: (words, option) => (option.title + option.description).includes(words),
  },
  template: `
    <div class="declare-page" :data-step="step" :data-busy="busy ? 'yes' : 'no'" :data-state="options ? 'ready' : 'loading'">
      <section class="hr-card">
        <a-steps class="step-bar" :current="receipt ? 4 : step" size="small">
          <a-step title="选择月份与单位"></a-step><a-step title="参保人员与基数"></a-step><a-step title="证明材料"></a-step><a-step title="核对提交"></a-step>
        </a-steps>
        <p v-show="error" class="hr-error declare-error" role="alert">{{ error }}</p>

        <div v-if="step === 0" class="step-choose">
          <div class="step-form">
            <label>申报月份</label>
            <a-month-picker id="declare-month" v-model:value="month" value-format="YYYY-MM" placeholder="请选择申报月份"></a-month-picker>
            <label>缴费单位</label>
            <a-tree-select id="declare-unit" v-model:value="unit" :tree-data="tree" show-search tree-node-filter-prop="title" placeholder="请选择缴费单位" tree-default-expand-all></a-tree-select>
          </div>
          <p class="hr-note">可申报月份：{{ options ? options.months.join('、') : '' }}。选择后系统带出上月参保人员。</p>
          <div class="step-footer" data-zone="step-footer"><a-button id="declare-begin" type="primary" :loading="busy" @click="begin">下一步</a-button></div>
        </div>

        <div v-else-if="step === 1" class="step-people">
          <div class="hr-bar people-bar" data-zone="people-bar">
            <a-button id="people-transfer" @click="openTransfer">增减人员</a-button>
            <a-button id="people-remove" danger :disabled="!picked.length" @click="removePicked">移出所选</a-button>
            <span class="hr-fill"></span>
            <span class="hr-sums people-sums">{{ sheet.unit }} {{ sheet.month }}，参保 <b class="people-count">{{ members.length }}</b> 人，基数合计 <b class="people-base">{{ yuan(base) }}</b> 元；基数范围 <b>{{ yuan(sheet.limits.least_cents) }}</b> 至 <b>{{ yuan(sheet.limits.greatest_cents) }}</b></span>
          </div>
          <a-table class="people-table" row-key="id" size="small" :columns="memberColumns" :data-source="members" :row-selection="{ selectedRowKeys: picked, onChange: (keys) => { picked = keys; } }"
            :pagination="{ pageSize: 10, showSizeChanger: false, showTotal: (total) => '共 ' + total + ' 人' }">
            <template #bodyCell="{ column, record }">
              <template v-if="column.key === 'wage'"><span class="num">{{ yuan(record.wage_cents) }}</span></template>
              <template v-else-if="column.key === 'base'"><a-input-number v-model:value="record.base" class="base-input" :data-id="record.id" :precision="2" :min="0" :step="100" style="width:140px"></a-input-number></template>
              <template v-else-if="column.key === 'check'">
                <span v-if="problems[record.id]" class="base-wrong" :data-id="record.id" :data-code="problems[record.id].code"><a-tag color="error">未通过</a-tag>{{ problems[record.id].message }}</span>
                <a-tag v-else color="success">通过</a-tag>
              </template>
            </template>
          </a-table>
          <div class="step-footer" data-zone="step-footer">
            <a-button id="people-back" @click="step = 0">上一步</a-button>
            <a-button id="people-save" :loading="busy" @click="saveDraft">保存草稿</a-button>
            <a-button id="people-next" type="primary" :loading="busy" @click="toProofs">下一步</a-button>
          </div>
        </div>

        <div v-else-if="step === 2" class="step-proof">
          <a-upload class="proof-upload" v-model:file-list="proofs" :custom-request="upload" :on-remove="forget" accept=".pdf,.jpg,.png"><a-button id="proof-button">选择文件</a-button></a-upload>
          <p class="hr-note">请上传上年度月均工资证明，支持 pdf、jpg、png，单个文件不超过 2 MB。</p>
          <div class="step-footer" data-zone="step-footer">
            <a-button id="proof-back" @click="step = 1">上一步</a-button>
            <a-button id="proof-next" type="primary" :loading="busy" @click="toReview">下一步</a-button>
          </div>
        </div>

        <div v-else class="step-review">
          <a-result v-if="receipt" class="declare-done" status="success" :title="'申报成功，回执号 ' + receipt.receipt" :sub-title="receipt.unit + ' ' + receipt.month + '，参保 ' + receipt.people + ' 人'" :data-receipt="receipt.receipt"></a-result>
          <a-descriptions class="review-facts" bordered size="small" :column="2">
            <a-descriptions-item label="申报单号">{{ sheet.id }}</a-descriptions-item>
            <a-descriptions-item label="缴费单位">{{ sheet.unit }}</a-descriptions-item>
            <a-descriptions-item label="申报月份">{{ sheet.month }}</a-descriptions-item>
            <a-descriptions-item label="参保人数">{{ sheet.people }} 人</a-descriptions-item>
            <a-descriptions-item label="基数合计">{{ yuan(sheet.base_cents) }} 元</a-descriptions-item>
            <a-descriptions-item label="证明材料">{{ sheet.proofs.map((one) => one.name).join('、') }}</a-descriptions-item>
            <a-descriptions-item label="单位缴费合计"><b class="review-company">{{ yuan(sheet.company_cents) }}</b> 元</a-descriptions-item>
            <a-descriptions-item label="个人缴费合计"><b class="review-own">{{ yuan(sheet.employee_cents) }}</b> 元</a-descriptions-item>
          </a-descriptions>
          <a-table class="review-shares" style="margin-top:14px" row-key="name" size="small" :columns="shareColumns" :data-source="sheet.shares" :pagination="false">
            <template #bodyCell="{ column, record }">
              <span v-if="column.key === 'company'" class="num">{{ yuan(record.company_cents) }}</span>
              <span v-else-if="column.key === 'own'" class="num">{{ yuan(record.employee_cents) }}</span>
            </template>
          </a-table>
          <div class="step-footer" data-zone="step-footer">
            <a-button id="review-back" v-show="!receipt" @click="step = 2">上一步</a-button>
            <a-button id="review-submit" v-show="!receipt" type="primary" data-act :loading="busy" @click="ask">提交申报</a-button>
            <a-button id="review-again" v-show="receipt" @click="again">继续申报其他单位</a-button>
          </div>
        </div>
      </section>

      <section class="hr-card">
        <h2>申报记录</h2>
        <a-table class="record-table" row-key="id" size="small" :columns="recordColumns" :data-source="records" :pagination="false">
          <template #bodyCell="{ column, record }">
            <a-tag v-if="column.key === 'status'" :color="record.status === '已申报' ? 'success' : 'processing'">{{ record.status }}</a-tag>
            <a-button v-else-if="column.key === 'acts'" class="record-open" type="link" size="small" :data-id="record.id" @click="resume(record.id)">{{ record.receipt ? '查看' : '继续' }}</a-button>
          </template>
        </a-table>
      </section>

      <a-modal v-model:open="moving" title="增减参保人员" width="720px" wrap-class-name="transfer-modal" ok-text="应用" cancel-text="取消" @ok="applyTransfer">
        <a-transfer class="people-transfer-box" v-model:target-keys="target" :data-source="transfer" :titles="['未参保', '参保名单']" :render="(item) => item.title + ' ' + item.description"
          show-search :filter-option="search" :list-style="{ width: '310px', height: '380px' }"></a-transfer>
      </a-modal>
      <a-modal v-model:open="asking" title="提交申报" wrap-class-name="submit-modal">
        <p>即将向社保经办机构提交 <b>{{ sheet && sheet.unit }}</b> <b>{{ sheet && sheet.month }}</b> 的社保申报，共 <b>{{ sheet && sheet.people }}</b> 人。提交后不能修改，是否继续？</p>
        <template #footer>
          <div class="submit-footer" data-zone="submit-footer">
            <a-button id="submit-cancel" @click="asking = false">取消</a-button>
            <a-button id="submit-ok" type="primary" data-act :loading="busy" @click="submit">确认提交</a-button>
          </div>
        </template>
      </a-modal>
    </div>`,
});
