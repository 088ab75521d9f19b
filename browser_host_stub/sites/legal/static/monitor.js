const blank = () => ({ kind: "", department: [], deadline: null, penalty: 0, notify: true, opinion: "", files: [] });

legal.start({
  data: () => ({
    rows: [], total: 0, page: 1, size: 10, loading: true, unit: "全部", options: { departments: {}, measures: [] },
    treated: null, form: blank(), sending: false,
  }),
  computed: {
    layout: legal.pager,
    units() { return ["全部", ...Object.keys(this.options.departments)]; },
    tree() { return legal.tree(this.options.departments); },
  },
  async mounted() {
    this.options = (await legal.attempt(() => demo.get("/api/options"))) ?? this.options;
    await this.load(1);
  },
  methods: {
    async load(page = this.page) {
      this.loading = true;
      const found = await legal.attempt(() => demo.get("/api/late", { page, unit: this.unit === "全部" ? "" : this.unit }));
      this.loading = false;
      if (found) Object.assign(this, { rows: found.rows, total: found.total, page: found.page, size: found.page_size });
    },
    begin(row) { Object.assign(this, { treated: row, form: blank() }); },
    async upload({ file }) {
      const body = new FormData();
      body.append("file", file);
      const answer = await legal.attempt(() => demo.upload("/api/uploads", body));
      if (!answer) throw new Error("refused");
      this.form.files.push(...answer.files);
    },
    async save() {
      const { id, duty } = this.treated;
      const body = { ...this.form, penalty: legal.amount(this.form.penalty), department: [...this.form.department] };
      this.sending = true;
      const answer = await legal.attempt(() => demo.post(`/api/contracts/${id}/duties/${duty.number}/measures`, body), "处置已登记");
      this.sending = false;
      if (!answer) return;
      this.treated = null;
      await this.load();
    },
  },
  template: `
    <div class="filter-row" data-zone="filters">
      <el-radio-group v-model="unit" @change="load(1)"><el-radio-button v-for="name in units" :key="name" :value="name" :label="name"></el-radio-button></el-radio-group>
      <el-button id="late-refresh" @click="load()">刷新</el-button>
    </div>
    <el-table class="late-table" :data="rows" v-loading="loading" border stripe>
      <el-table-column prop="id" label="合同编号" width="130"></el-table-column>
      <el-table-column prop="name" label="合同名称" min-width="180"></el-table-column>
      <el-table-column label="责任单位" width="170"><template #default="{ row }">{{ row.department.join(' / ') }}</template></el-table-column>
      <el-table-column label="履约节点" width="140"><template #default="{ row }">{{ row.duty.name }}</template></el-table-column>
      <el-table-column label="到期日" width="120"><template #default="{ row }">{{ row.duty.due }}</template></el-table-column>
      <el-table-column label="逾期天数" width="100" align="right"><template #default="{ row }"><span class="late-mark">{{ row.duty.late }}</span></template></el-table-column>
      <el-table-column label="处置" width="120"><template #default="{ row }">
        <el-tag :type="row.duty.measures.length ? 'success' : 'danger'">{{ row.duty.measures.length ? '已处置' : '未处置' }}</el-tag></template></el-table-column>
      <el-table-column label="操作" width="110" fixed="right"><template #default="{ row }">
        <el-button type="primary" size="small" class="treat-duty" :data-id="row.id" :data-duty="row.duty.number" @click="begin(row)">处置登记</el-button></template></el-table-column>
    </el-table>
    <div class="list-foot">
      <el-pagination background :layout="layout" :total="total" :page-size="size" :current-page="page" @current-change="load"></el-pagination>
    </div>
    <el-dialog :model-value="treated !== null" :title="treated ? '处置登记：' + treated.id + ' ' + treated.duty.name : ''" width="640px" class="treat-dialog" @close="treated = null">
      <el-form label-width="100px">
        <el-form-item label="处置方式" required><el-select id="treat-kind" v-model="form.kind" placeholder="请选择">
          <el-option v-for="name in options.measures" :key="name" :label="name" :value="name"></el-option></el-select></el-form-item>
        <el-form-item label="责任部门" required><el-cascader id="treat-department" v-model="form.department" :options="tree" placeholder="请选择"></el-cascader></el-form-item>
        <el-form-item label="整改期限" required><el-date-picker id="treat-deadline" v-model="form.deadline" value-format="YYYY-MM-DD" placeholder="选择日期"></el-date-picker></el-form-item>
        <el-form-item label="违约金（元）"><el-input-number id="treat-penalty" v-model="form.penalty" :min="0" :precision="2" :step="100"></el-input-number></el-form-item>
        <el-form-item label="通知对方"><el-switch id="treat-notify" v-model="form.notify"></el-switch></el-form-item>
        <el-form-item label="处置意见" required><el-input id="treat-opinion" type="textarea" v-model="form.opinion" :rows="3"></el-input></el-form-item>
        <el-form-item label="附件"><el-upload class="treat-files" :http-request="upload" multiple><el-button>选择文件</el-button></el-upload></el-form-item>
      </el-form>
      <template #footer><span data-zone="treat-footer"><el-button @click="treated = null">取消</el-button>
        <el-button id="treat-save" type="primary" data-act :loading="sending" @click="save">提交处置</el-button></span></template>
    </el-dialog>`,
});
