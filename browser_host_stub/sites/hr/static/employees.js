const COLUMNS = [
  { title: "工号", dataIndex: "id", key: "id", width: 100 }, { title: "姓名", key: "name", width: 110 },
  { title: "单位", dataIndex: "unit", key: "unit", width: 150 }, { title: "部门", dataIndex: "department", key: "department", width: 120 },
  { title: "岗位", dataIndex: "position", key: "position", width: 100 }, { title: "身份证号", dataIndex: "id_number", key: "id_number", width: 190 },
  { title: "手机", dataIndex: "phone", key: "phone", width: 130 }, { title: "状态", key: "status", width: 80 }, { title: "操作", key: "acts", width: 90, fixed: "right" },
];
const leaves = (node) => (node.children.length ? node.children.flatMap(leaves) : [node.key]);
const titled = (node) => ({ key: node.key, title: `${node.title}（${node.count}）`, children: node.children.map(titled) });

hr.start({
  data: () => ({
    tree: [], leafKeys: [], checked: [], expanded: ["华岳集团"], words: "", page: 1, answer: null, loading: true, names: [], person: undefined,
    detail: null, revealed: false, moving: null, place: undefined, places: [], moveError: "", columns: COLUMNS,
  }),
  computed: {
    pagination() { return this.answer ? hr.pager(this.answer) : false; },
    facts() {
      if (!this.detail) return [];
      const hidden = (text) => (this.revealed ? text : `${text.slice(0, 3)}${"*".repeat(text.length - 7)}${text.slice(-4)}`);
      const one = this.detail;
      return [
        ["工号", one.id], ["姓名", one.name], ["性别", one.gender], ["状态", one.status], ["单位", one.unit], ["部门", one.department],
        ["岗位", one.position], ["入职日期", one.entered], ["身份证号", hidden(one.id_number)], ["手机", hidden(one.phone)],
        ["银行卡号", hidden(one.card)], ["月均工资", `${hr.yuan(one.wage_cents)} 元`],
      ];
    },
  },
  async mounted() {
    const options = await hr.attempt(() => demo.get("/api/insurance/options"));
    const names = await hr.attempt(() => demo.get("/api/employees/names"));
    this.names = names?.people ?? [];
    const departments = (options?.departments ?? []).map((name) => ({ value: name, label: name }));
    this.places = Object.values(options?.units ?? {}).flat().map((unit) => ({ value: unit, label: unit, children: departments }));
    await this.loadTree();
    await this.load();
  },
  methods: {
    async loadTree() {
      const answer = await hr.attempt(() => demo.get("/api/employees/tree"));
      if (!answer) return;
      this.tree = [titled(answer.tree)];
      this.leafKeys = leaves(answer.tree);
    },
    async load() {
      this.loading = true;
      const chosen = this.leafKeys.filter((key) => this.checked.includes(key));
      const query = new URLSearchParams({ q: this.words, page: String(this.page) });
      for (const key of chosen) query.append("place", key);
      const answer = await hr.attempt(() => demo.get(`/api/employees?${query}`));
      if (answer) this.answer = answer;
      this.loading = false;
    },
    query() { this.page = 1; return this.load(); },
    turn({ current }) { this.page = current; return this.load(); },
    filter: (words, option) => option.label.includes(words),
    async show(id) {
      const answer = await hr.attempt(() => demo.get(`/api/employees/${id}`));
      if (answer) Object.assign(this, { detail: answer.employee, revealed: false });
    },
    async act({ key }, row) {
      if (key === "view") return this.show(row.id);
      if (key === "move") return Object.assign(this, { moving: row, place: undefined, moveError: "" });
      const answer = await hr.attempt(() => demo.post(`/api/employees/${row.id}/mark`));
      if (answer) { hr.message.success(answer.marked ? `已关注${row.name}` : `已取消关注${row.name}`); await this.load(); }
    },
    async move() {
      const [unit, department] = this.place ?? [];
      const answer = await hr.attempt(() => demo.post(`/api/employees/${this.moving.id}/move`, { unit, department }), (error) => { this.moveError = error.message; });
      if (!answer) return;
      this.moving = null;
      hr.message.success(`${answer.employee.name}已调入${answer.employee.unit}${answer.employee.department}`);
      await this.loadTree();
      await this.load();
    },
    hideDetail(open) { if (!open) this.detail = null; },
    hideMove(open) { if (!open) this.moving = null; },
  },
  template: `
    <div class="staff-page" :data-state="loading ? 'loading' : 'ready'">
      <div class="hr-split">
        <section class="hr-card">
          <h2>组织架构</h2>
          <a-tree class="org-tree" v-model:checked-keys="checked" v-model:expanded-keys="expanded" checkable :selectable="false" :tree-data="tree" :height="560" @check="query"></a-tree>
        </section>
        <section class="hr-card">
          <div class="hr-bar staff-filter" data-zone="filter">
            <div class="hr-pair"><label>快速定位</label><a-select id="staff-person" v-model:value="person" show-search allow-clear :options="names" :filter-option="filter" placeholder="从 3,000 名员工中选择" style="width:230px" @select="show"></a-select></div>
            <div class="hr-pair"><label>关键字</label><a-input id="staff-words" v-model:value="words" allow-clear placeholder="工号、姓名、岗位" style="width:190px" @press-enter="query"></a-input></div>
            <a-button id="staff-query" type="primary" @click="query">查询</a-button>
            <span class="hr-fill"></span>
            <span class="hr-sums">共 <b class="staff-total">{{ answer ? answer.total : 0 }}</b> 人</span>
          </div>
          <a-table v-if="answer" class="staff-table" row-key="id" size="small" :loading="loading" :columns="columns" :data-source="answer.rows" :pagination="pagination" :scroll="{ x: 980 }" @change="turn">
            <template #bodyCell="{ column, record }">
              <span v-if="column.key === 'name'">{{ record.name }} <a-tag v-if="record.marked" class="staff-marked" :data-id="record.id" color="purple">关注</a-tag></span>
              <a-tag v-else-if="column.key === 'status'" :color="record.status === '在职' ? 'success' : 'default'">{{ record.status }}</a-tag>
              <a-dropdown v-else-if="column.key === 'acts'" :trigger="['click']">
                <a-button class="staff-more" type="link" size="small" :data-id="record.id">更多</a-button>
                <template #overlay>
                  <a-menu class="staff-menu" @click="act($event, record)">
                    <a-menu-item key="view">查看档案</a-menu-item><a-menu-item key="move">办理调岗</a-menu-item><a-menu-item key="mark">{{ record.marked ? '取消关注' : '加入关注' }}</a-menu-item>
                  </a-menu>
                </template>
              </a-dropdown>
            </template>
          </a-table>
        </section>
      </div>
      <a-drawer :open="Boolean(detail)" root-class-name="staff-drawer" title="员工档案" width="640" @update:open="hideDetail">
        <a-descriptions class="staff-facts" bordered size="small" :column="2">
          <a-descriptions-item v-for="[name, value] in facts" :key="name" :label="name"><span class="staff-fact" :data-name="name">{{ value }}</span></a-descriptions-item>
        </a-descriptions>
        <p style="margin-top:12px"><a-switch id="staff-reveal" v-model:checked="revealed"></a-switch> 显示完整证件号码</p>
      </a-drawer>
      <a-modal :open="Boolean(moving)" wrap-class-name="move-modal" :title="'办理调岗：' + (moving ? moving.name : '')" @update:open="hideMove">
        <p>现岗位：{{ moving ? moving.unit + ' ' + moving.department : '' }}</p>
        <a-cascader id="move-place" v-model:value="place" :options="places" placeholder="请选择调入单位和部门" style="width:100%"></a-cascader>
        <p v-show="moveError" class="hr-error move-error" role="alert">{{ moveError }}</p>
        <template #footer>
          <div class="move-footer" data-zone="move-footer">
            <a-button id="move-cancel" @click="moving = null">取消</a-button>
            <a-button id="move-ok" type="primary" data-act @click="move">确定调岗</a-button>
          </div>
        </template>
      </a-modal>
    </div>`,
});
