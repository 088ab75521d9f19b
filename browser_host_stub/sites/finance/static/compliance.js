const OPEN = ["待提报", "已退回"];
const EMPTY = { title: "", category: "", level: "", unit: "", owner: "", amount: null, found: "", description: "", files: [] };
const blankForm = () => ({ ...EMPTY, files: [], key: fin.key() });
const choices = (values) => values.map((value) => ({ label: value, value }));

// Text, because the server takes amounts as people write them.
const amountText = (value) => (value === null || value === "" ? "" : Number(value).toFixed(2));
// Made once: a grid does its work again for every new object it is given.
const GRID = Vue.markRaw({
  border: true, stripe: true, size: "small", showFooter: true, showOverflow: true, keepSource: true,
  rowConfig: { keyField: "number", isHover: true }, columnConfig: { resizable: true },
  virtualYConfig: { enabled: true, gt: 0 }, checkboxConfig: { highlight: true }, sortConfig: { multiple: true },
  editConfig: { trigger: "click", mode: "cell", showStatus: true, beforeEditMethod: ({ row }) => OPEN.includes(row.status) },
  toolbarConfig: { custom: true, zoom: true, slots: { buttons: "buttons" } },
  editRules: {
    amount: [{ required: true, message: "请填写涉及金额" }, { type: "number", min: 0.01, max: 100000000, message: "应大于 0 且不超过 1 亿元" }],
    due: [{ required: true, message: "请选择整改期限" }],
    remark: [{ max: 100, message: "备注最多 100 个字" }],
  },
});

fin.start({
  data() {
    return {
      grid: GRID,
      rows: [], total: 0, words: "", status: "", loading: true, options: null, chosen: 0,
      creating: false, sending: false, form: blankForm(), formError: "", results: null,
    };
  },
  computed: {
    shown() {
      const fits = (row) => !this.status || row.status === this.status;
      const said = (row) => !this.words || `${row.number}${row.title}${row.owner}`.includes(this.words);
      return this.rows.filter((row) => fits(row) && said(row));
    },
    statuses() { return choices(this.options?.statuses ?? []); },
    units() { return choices(this.options?.units ?? []); },
    levels() { return choices(this.options?.levels ?? []); },
    owners() { return choices(this.options?.owners ?? []); },
    categories() {
      const groups = Object.entries(this.options?.categories ?? {});
      return groups.map(([group, kinds]) => ({
        label: group, value: group, children: kinds.map((kind) => ({ label: kind, value: `${group}/${kind}` })),
      }));
    },
    columns() {
      return [
        { type: "checkbox", width: 50, fixed: "left" },
        { type: "expand", width: 46, fixed: "left", slots: { content: "detail" } },
        { field: "number", title: "线索编号", width: 154, fixed: "left", sortable: true },
        { field: "title", title: "线索标题", minWidth: 280 },
        { field: "group", title: "线索类别", width: 190, filters: choices(Object.keys(this.options?.categories ?? {})),
          formatter: ({ row }) => row.category.join(" / ") },
        { field: "level", title: "风险等级", width: 104, filters: this.levels, slots: { default: "level" },
          editRender: { name: "VxeSelect", options: this.levels } },
        { field: "unit", title: "所属单位", width: 124, filters: this.units },
        { field: "amount", title: "涉及金额（元）", width: 150, align: "right", sortable: true,
          formatter: ({ row }) => fin.yuan(Math.round(row.amount * 100)),
          editRender: { name: "VxeNumberInput", props: { type: "amount", min: 0, digits: 2 } } },
        { field: "found", title: "发现日期", width: 116, sortable: true },
        { field: "due", title: "整改期限", width: 130, sortable: true, editRender: { name: "VxeDatePicker", props: { labelFormat: "yyyy-MM-dd", valueFormat: "yyyy-MM-dd" } } },
        { field: "source", title: "线索来源", width: 100 },
        { field: "owner", title: "责任人", width: 104, editRender: { name: "VxeSelect", options: this.owners } },
        { field: "remark", title: "备注", width: 180, editRender: { name: "VxeInput", props: { maxlength: 120 } } },
        { field: "status", title: "状态", width: 92, fixed: "right", slots: { default: "status" } },
        { title: "操作", width: 84, fixed: "right", slots: { default: "acts" } },
      ];
    },
  },
  async mounted() {
    this.options = await fin.attempt(() => demo.get("/api/clues/options"));
    await this.load();
  },
  methods: {
    async load() {
      this.loading = true;
      const answer = await fin.attempt(() => demo.get("/api/clues"));
      if (answer) {
        // Raw, because watching thousands of rows is slow; the grid is told of every change.
        this.rows = Vue.markRaw(answer.rows.map((row) => this.prepared(row)));
        this.total = answer.total;
      }
      this.loading = false;
      await this.$refs.grid.clearCheckboxRow();
      this.count();
    },
    prepared(row) {
      return { ...row, group: row.category[0], amount: row.amount_cents / 100 };
    },
    isOpen(row) { return OPEN.includes(row.status); },
    count() { this.chosen = this.$refs.grid.getCheckboxRecords(true).length; },
    footer({ columns, data }) {
      const sum = data.reduce((total, row) => total + Math.round(row.amount * 100), 0);
      return [columns.map(({ field }) => ({ number: "合计", title: `共 ${data.length} 条`, amount: fin.yuan(sum) })[field] ?? "")];
    },
    async edited({ row, column }) {
      const grid = this.$refs.grid;
      const name = column.field;
      if (!grid.isUpdateByRow(row, name)) return;
      if (await grid.validate(row)) { await grid.revertData(row, name); fin.toast("error", "填写有误，已恢复原值"); return; }
      const value = name === "amount" ? amountText(row.amount) : row[name] ?? "";
      const path = `/api/clues/${row.number}/${name}`;
      const answer = await fin.attempt(() => demo.put(path, { [name]: value, version: row.version }));
      if (!answer) { await grid.revertData(row, name); return; }
      await grid.reloadRow(row, this.prepared(answer.clue));
      grid.updateFooter();
      fin.toast("success", `线索 ${row.number} 已保存`);
    },
    openForm() {
      this.form = blankForm();
      this.formError = "";
      this.creating = true;
    },
    async attach({ file }) {
      const body = new FormData();
      body.append("file", file);
      const answer = await demo.upload("/api/uploads", body);
      return answer.files[0];
    },
    async create() {
      this.sending = true;
      this.formError = "";
      const form = this.form;
      const answer = await fin.attempt(
        () => demo.post("/api/clues", {
          title: form.title, level: form.level, unit: form.unit, owner: form.owner, found: form.found,
          description: form.description, category: form.category ? form.category.split("/") : [],
          amount: amountText(form.amount), attachments: form.files.map((file) => file.id), key: form.key,
        }),
        (error) => { this.formError = error.message; },
      );
      this.sending = false;
      if (!answer) return;
      this.creating = false;
      fin.toast("success", `线索 ${answer.clue.number} 已登记`);
      await this.load();
    },
    async report(numbers) {
      if (!numbers.length) { fin.toast("warning", "请先勾选要提报的线索"); return; }
      const question = `即将提报 ${numbers.length} 条线索至合规管理部，提报后不能修改。是否继续？`;
      if ((await VxeUI.modal.confirm({ content: question, title: "提报确认" })) !== "confirm") return;
      const answer = await fin.attempt(() => demo.post("/api/clues/report", { numbers, key: fin.key() }));
      if (!answer) return;
      const done = answer.results.filter((result) => result.ok).length;
      this.results = { done, failed: answer.results.filter((result) => !result.ok) };
      fin.toast(done === numbers.length ? "success" : "warning", `提报完成：成功 ${done} 条，失败 ${numbers.length - done} 条`);
      await this.load();
    },
    reportChosen() { return this.report(this.$refs.grid.getCheckboxRecords(true).map((row) => row.number)); },
  },
  template: `
    <div class="clue-page" :data-state="loading ? 'loading' : 'ready'">
      <section class="fin-card">
        <div class="fin-bar clue-filter" data-zone="filter">
          <div class="fin-pair"><label>关键字</label><vxe-input id="clue-words" v-model="words" placeholder="线索编号、标题、责任人" clearable style="width:240px"></vxe-input></div>
          <div class="fin-pair"><label>状态</label><vxe-select id="clue-status" v-model="status" :options="statuses" placeholder="全部状态" clearable transfer style="width:150px"></vxe-select></div>
          <span class="fin-fill"></span>
          <span class="fin-sums clue-total">共 <b>{{ shown.length }}</b> 条，已选 <b>{{ chosen }}</b> 条</span>
        </div>
      </section>
      <section class="fin-card">
        <vxe-grid ref="grid" class="clue-grid" v-bind="grid" height="520" :footer-method="footer" :loading="loading" :columns="columns" :data="shown"
          @checkbox-change="count" @checkbox-all="count" @edit-closed="edited">
          <template #buttons>
            <div class="fin-bar clue-toolbar" data-zone="toolbar">
              <vxe-button id="clue-new" status="primary" icon="vxe-icon-add" @click="openForm">新建线索</vxe-button>
              <vxe-button id="clue-report" icon="vxe-icon-upload" data-act @click="reportChosen">提报选中</vxe-button>
              <vxe-button id="clue-refresh" icon="vxe-icon-refresh" @click="load">刷新</vxe-button>
            </div>
          </template>
          <template #level="{ row }"><span class="tag-level" :data-value="row.level">{{ row.level }}</span></template>
          <template #status="{ row }"><span class="tag-status" :data-value="row.status">{{ row.status }}</span></template>
          <template #acts="{ row }">
            <button type="button" class="clue-report-one" :data-id="row.number" :disabled="!isOpen(row)" @click="report([row.number])">提报</button>
          </template>
          <template #detail="{ row }">
            <div class="clue-detail" :data-id="row.number">
              <dl>
                <dt>线索描述</dt><dd>{{ row.description }}</dd>
                <dt>附件</dt><dd>{{ row.attachments.map((file) => file.name).join('、') || '无' }}</dd>
                <dt>处理记录</dt><dd><div v-for="step in row.log">{{ step.day }} {{ step.person }} {{ step.text }}</div></dd>
              </dl>
            </div>
          </template>
        </vxe-grid>
        <div v-if="results" class="clue-results" role="status" :data-done="results.done" :data-failed="results.failed.length">
          <p>提报结果：成功 <b>{{ results.done }}</b> 条，失败 <b>{{ results.failed.length }}</b> 条</p>
          <p v-for="one in results.failed" class="fin-error clue-failed" :data-id="one.number" :data-code="one.code">{{ one.number }}：{{ one.message }}</p>
        </div>
      </section>
      <vxe-modal v-model="creating" id="clue-modal" title="新建合规线索" width="760" show-footer :mask-closable="false" destroy-on-close>
        <template #default>
          <vxe-form class="clue-form" :data="form" title-width="90" title-align="right" title-colon>
            <vxe-form-item title="线索标题" span="24" field="title"><vxe-input id="clue-title" v-model="form.title" placeholder="6 到 60 个字"></vxe-input></vxe-form-item>
            <vxe-form-item title="所属单位" span="12" field="unit"><vxe-select id="clue-unit" v-model="form.unit" :options="units" placeholder="请选择单位" filterable transfer></vxe-select></vxe-form-item>
            <vxe-form-item title="线索类别" span="12" field="category"><vxe-cascader id="clue-category" v-model="form.category" :options="categories" placeholder="请选到最末一级" transfer></vxe-cascader></vxe-form-item>
            <vxe-form-item title="涉及金额" span="12" field="amount"><vxe-number-input id="clue-amount" v-model="form.amount" type="amount" :digits="2" :min="0" placeholder="元"></vxe-number-input></vxe-form-item>
            <vxe-form-item title="发现日期" span="12" field="found"><vxe-date-picker id="clue-found" v-model="form.found" type="date" value-format="yyyy-MM-dd" placeholder="请选择日期" transfer></vxe-date-picker></vxe-form-item>
            <vxe-form-item title="风险等级" span="12" field="level"><vxe-radio-group id="clue-level" v-model="form.level" :options="levels"></vxe-radio-group></vxe-form-item>
            <vxe-form-item title="责任人" span="12" field="owner"><vxe-select id="clue-owner" v-model="form.owner" :options="owners" placeholder="请选择责任人" transfer></vxe-select></vxe-form-item>
            <vxe-form-item title="线索描述" span="24" field="description"><vxe-textarea id="clue-description" v-model="form.description" :rows="4" placeholder="10 到 500 个字，写明时间、对象、金额与依据" show-word-count :maxlength="500"></vxe-textarea></vxe-form-item>
            <vxe-form-item title="附件" span="24" field="files"><vxe-upload id="clue-files" v-model="form.files" multiple button-text="上传附件" :upload-method="attach" tip-text="金额不低于 10 万元须上传；支持 pdf、jpg、png、xlsx、docx，不超过 5 MB"></vxe-upload></vxe-form-item>
          </vxe-form>
          <p v-show="formError" class="fin-error clue-error" role="alert">{{ formError }}</p>
        </template>
        <template #footer>
          <div class="fin-bar clue-form-footer" data-zone="form-footer">
            <span class="fin-fill"></span>
            <vxe-button id="clue-cancel" @click="creating = false">取消</vxe-button>
            <vxe-button id="clue-submit" status="primary" data-act :loading="sending" @click="create">提交</vxe-button>
          </div>
        </template>
      </vxe-modal>
    </div>`,
});
