legal.start({
  data: () => ({
    rows: [], total: 0, page: 1, size: 10, loading: true, options: { statuses: [], kinds: {} },
    words: "", status: "", kind: "", signed: null, shown: null, detail: false, ending: false, reason: "",
    doing: null, day: demo.today, note: "",
  }),
  computed: { layout: legal.pager, kinds() { return Object.keys(this.options.kinds); } },
  async mounted() {
    this.options = (await legal.attempt(() => demo.get("/api/options"))) ?? this.options;
    await this.load();
  },
  methods: {
    async load(page = this.page) {
      this.loading = true;
      const [first, last] = this.signed ?? ["", ""];
      const asked = { q: this.words, status: this.status, kind: this.kind, first, last, page };
      const found = await legal.attempt(() => demo.get("/api/contracts", asked));
      this.loading = false;
      if (found) Object.assign(this, { rows: found.rows, total: found.total, page: found.page, size: found.page_size });
    },
    clear() {
      Object.assign(this, { words: "", status: "", kind: "", signed: null });
      this.load(1);
    },
    open(row) { Object.assign(this, { shown: row, detail: true }); },
    menu(command, row) {
      if (command === "open") this.open(row);
      else Object.assign(this, { shown: row, ending: true, reason: "" });
    },
    replace(answer) {
      if (!answer) return;
      this.shown = answer.contract;
      this.load();
    },
    async end() {
      const answer = await legal.attempt(() => demo.post(`/api/contracts/${this.shown.id}/terminate`, { reason: this.reason }), "合同已终止");
      if (answer) this.ending = false;
      this.replace(answer);
    },
    async finish() {
      const path = `/api/contracts/${this.shown.id}/duties/${this.doing.number}/done`;
      const answer = await legal.attempt(() => demo.post(path, { day: this.day, note: this.note }), "履约情况已登记");
      if (answer) this.doing = null;
      this.replace(answer);
    },
    begin(duty) { Object.assign(this, { doing: duty, day: demo.today, note: "" }); },
  },
  template: `
    <div class="filter-row" data-zone="filters">
      <el-input id="contract-words" class="filter-words" v-model="words" placeholder="合同编号、名称或相对方" clearable @keyup.enter="load(1)"></el-input>
      <el-select id="contract-status" v-model="status" placeholder="合同状态" clearable>
        <el-option v-for="name in options.statuses" :key="name" :label="name" :value="name"></el-option>
      </el-select>
      <el-select id="contract-kind" v-model="kind" placeholder="合同大类" clearable>
        <el-option v-for="name in kinds" :key="name" :label="name" :value="name"></el-option>
      </el-select>
      <el-date-picker v-model="signed" type="daterange" value-format="YYYY-MM-DD" start-placeholder="签订日期起" end-placeholder="签订日期止"></el-date-picker>
      <el-button id="contract-search" type="primary" @click="load(1)">查询</el-button>
      <el-button id="contract-clear" @click="clear">重置</el-button>
    </div>
    <el-table class="contract-table" :data="rows" v-loading="loading" border stripe row-key="id">
      <el-table-column type="expand"><template #default="{ row }">
        <el-steps :active="row.duties.filter((d) => d.done).length" simple>
          <el-step v-for="duty in row.duties" :key="duty.number" :title="duty.name"></el-step>
        </el-steps></template></el-table-column>
      <el-table-column prop="id" label="合同编号" width="130" fixed="left"></el-table-column>
      <el-table-column prop="name" label="合同名称" min-width="200" show-overflow-tooltip></el-table-column>
      <el-table-column prop="partner" label="合同相对方" min-width="200" show-overflow-tooltip></el-table-column>
      <el-table-column label="类别" width="160"><template #default="{ row }">{{ row.kind.join(' / ') }}</template></el-table-column>
      <el-table-column label="承办部门" width="170"><template #default="{ row }">{{ row.department.join(' / ') }}</template></el-table-column>
      <el-table-column prop="amount" label="合同金额（元）" width="150" align="right" sortable>
        <template #default="{ row }">{{ money(row.amount) }}</template></el-table-column>
      <el-table-column prop="signed" label="签订日期" width="120" sortable></el-table-column>
      <el-table-column label="状态" width="100"><template #default="{ row }"><el-tag :type="tone(row.status)">{{ row.status }}</el-tag></template></el-table-column>
      <el-table-column label="操作" width="130" fixed="right"><template #default="{ row }">
        <el-button link type="primary" class="open-contract" :data-id="row.id" @click="open(row)">查看</el-button>
        <el-dropdown trigger="click" @command="(name) => menu(name, row)">
          <el-button link type="primary" class="more-acts" :data-id="row.id">更多</el-button>
          <template #dropdown><el-dropdown-menu>
            <el-dropdown-item command="open">履约登记</el-dropdown-item>
            <el-dropdown-item command="end" :disabled="row.status !== '履约中'">终止合同</el-dropdown-item>
          </el-dropdown-menu></template>
        </el-dropdown></template></el-table-column>
    </el-table>
    <div class="list-foot">
      <el-pagination background :layout="layout" :total="total" :page-size="size" :current-page="page" @current-change="load"></el-pagination>
    </div>
    <el-drawer v-model="detail" :title="shown ? shown.id + ' ' + shown.name : ''" size="640px" class="contract-drawer">
      <el-tabs v-if="shown">
        <el-tab-pane label="基本信息">
          <el-descriptions :column="1" border>
            <el-descriptions-item label="相对方">{{ shown.partner }}</el-descriptions-item>
            <el-descriptions-item label="承办部门">{{ shown.department.join(' / ') }}</el-descriptions-item>
            <el-descriptions-item label="经办人">{{ shown.owner }}</el-descriptions-item>
            <el-descriptions-item label="合同金额">{{ money(shown.amount) }} 元</el-descriptions-item>
            <el-descriptions-item label="合同期限">{{ shown.signed }} 至 {{ shown.ends }}</el-descriptions-item>
            <el-descriptions-item label="状态"><span class="contract-state">{{ shown.status }}</span></el-descriptions-item>
          </el-descriptions>
        </el-tab-pane>
        <el-tab-pane label="履约节点">
          <el-table class="duty-table" :data="shown.duties" border>
            <el-table-column prop="name" label="节点"></el-table-column>
            <el-table-column prop="due" label="到期日" width="120"></el-table-column>
            <el-table-column label="完成情况" width="150"><template #default="{ row }">
              <span v-if="row.done">{{ row.done }}</span><span v-else-if="row.late" class="late-mark">逾期 {{ row.late }} 天</span><span v-else>未到期</span>
            </template></el-table-column>
            <el-table-column label="操作" width="100"><template #default="{ row }">
              <el-button v-if="!row.done" link type="primary" class="finish-duty" :data-duty="row.number" @click="begin(row)">登记完成</el-button>
            </template></el-table-column>
          </el-table>
        </el-tab-pane>
      </el-tabs>
    </el-drawer>
    <el-dialog :model-value="doing !== null" title="登记履约完成" width="460px" append-to-body class="finish-dialog" @close="doing = null">
      <el-form label-width="90px">
        <el-form-item label="完成日期"><el-date-picker id="finish-day" v-model="day" value-format="YYYY-MM-DD"></el-date-picker></el-form-item>
        <el-form-item label="说明"><el-input id="finish-note" type="textarea" v-model="note" maxlength="100" show-word-limit></el-input></el-form-item>
      </el-form>
      <template #footer><span data-zone="finish-footer"><el-button @click="doing = null">取消</el-button>
        <el-button id="finish-save" type="primary" data-act @click="finish">保存</el-button></span></template>
    </el-dialog>
    <el-dialog v-model="ending" title="终止合同" width="460px" class="end-dialog">
      <p>终止后不能恢复。请填写原因：</p>
      <el-input id="end-reason" v-model="reason" type="textarea"></el-input>
      <template #footer><span data-zone="end-footer"><el-button @click="ending = false">取消</el-button>
        <el-button id="end-save" type="danger" data-act @click="end">确认终止</el-button></span></template>
    </el-dialog>`,
});
