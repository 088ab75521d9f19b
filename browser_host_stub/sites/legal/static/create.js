const blankDuty = () => ({ name: "", due: null, amount: 0 });
const blank = () => ({
  name: "", kind: [], partner: "", department: [], amount: null, signed: demo.today, ends: null, duties: [blankDuty()], key: crypto.randomUUID(),
});

legal.start({
  data: () => ({ form: blank(), options: { kinds: {}, departments: {} }, partners: [], asking: false, sending: false, made: "" }),
  computed: { kinds() { return legal.tree(this.options.kinds); }, departments() { return legal.tree(this.options.departments); } },
  async mounted() { this.options = (await legal.attempt(() => demo.get("/api/options"))) ?? this.options; },
  methods: {
    async ask(words) {
      this.asking = true;
      const found = await legal.attempt(() => demo.get("/api/partners", { q: words }));
      this.asking = false;
      this.partners = found ? found.rows : [];
    },
    add() { this.form.duties.push(blankDuty()); },
    drop(index) { this.form.duties.splice(index, 1); },
    async send() {
      const body = {
        ...this.form,
        amount: legal.amount(this.form.amount),
        clause: this.$refs.clause.innerText,
        duties: this.form.duties.map((duty) => ({ ...duty, amount: legal.amount(duty.amount) })),
      };
      this.sending = true;
      const answer = await legal.attempt(() => demo.post("/api/contracts", body), "合同已提交审批");
      this.sending = false;
      if (!answer) return;
      this.made = answer.contract.id;
      this.form = blank();
      this.$refs.clause.innerText = "";
    },
  },
  template: `
    <el-alert v-if="made" class="made-note" type="success" :title="'已提交审批，合同编号 ' + made" @close="made = ''"></el-alert>
    <el-card class="form-card">
      <el-form label-width="130px">
        <el-form-item label="合同名称" required><el-input id="new-name" v-model="form.name" maxlength="60" show-word-limit></el-input></el-form-item>
        <el-form-item label="合同类别" required><el-cascader id="new-kind" v-model="form.kind" :options="kinds" filterable></el-cascader></el-form-item>
        <el-form-item label="合同相对方" required><el-select id="new-partner" v-model="form.partner" filterable remote :remote-method="ask" :loading="asking" placeholder="输入名称查找">
          <el-option v-for="name in partners" :key="name" :label="name" :value="name"></el-option></el-select></el-form-item>
        <el-form-item label="承办部门" required><el-tree-select id="new-department" v-model="form.department[1]" :data="departments" placeholder="请选择"
          @node-click="(node, item) => form.department = [item.parent.data.value, node.value]"></el-tree-select></el-form-item>
        <el-form-item label="合同金额（元）" required><el-input-number id="new-amount" v-model="form.amount" :min="0" :precision="2" :controls="false"></el-input-number></el-form-item>
        <el-form-item label="签订日期" required><el-date-picker id="new-signed" v-model="form.signed" value-format="YYYY-MM-DD"></el-date-picker></el-form-item>
        <el-form-item label="终止日期" required><el-date-picker id="new-ends" v-model="form.ends" value-format="YYYY-MM-DD"></el-date-picker></el-form-item>
        <el-form-item label="特别条款"><div ref="clause" class="clause-box" contenteditable="true" aria-label="特别条款"></div></el-form-item>
        <el-form-item label="履约节点" required>
          <el-table class="duty-table" :data="form.duties" border size="small">
            <el-table-column type="index" width="50"></el-table-column>
            <el-table-column label="节点名称"><template #default="{ row }"><el-input class="duty-name" v-model="row.name" placeholder="节点名称"></el-input></template></el-table-column>
            <el-table-column label="到期日" width="180"><template #default="{ row }"><el-date-picker class="duty-due" style="width: 150px" v-model="row.due" value-format="YYYY-MM-DD" placeholder="到期日"></el-date-picker></template></el-table-column>
            <el-table-column label="金额（元）" width="170"><template #default="{ row }"><el-input-number class="duty-amount" v-model="row.amount" :min="0" :precision="2" controls-position="right"></el-input-number></template></el-table-column>
            <el-table-column label="" width="60"><template #default="{ $index }"><el-button circle size="small" class="drop-duty" @click="drop($index)"><el-icon><delete /></el-icon></el-button></template></el-table-column>
          </el-table>
          <el-button id="add-duty" link type="primary" @click="add"><el-icon><plus /></el-icon>增加节点</el-button>
        </el-form-item>
        <el-form-item><span data-zone="create-acts"><el-button id="new-send" type="primary" data-act :loading="sending" @click="send">提交审批</el-button></span></el-form-item>
      </el-form>
    </el-card>`,
});
