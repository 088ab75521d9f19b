fin.start({
  data: () => ({ summary: null }),
  async mounted() {
    this.summary = await fin.attempt(() => demo.get("/api/summary"));
  },
  template: `
    <div class="home-page" :data-state="summary ? 'ready' : 'loading'">
      <div v-if="summary" class="fin-stats">
        <div v-for="(count, name) in summary.statuses" class="fin-stat" :data-stat="name"><span>{{ name }}线索</span><b>{{ count }}</b></div>
      </div>
      <section v-if="summary" class="fin-card">
        <h2>待提报线索（涉及金额合计 <span class="home-waiting">{{ yuan(summary.waiting_cents) }}</span> 元）</h2>
        <table class="fin-todo">
          <thead><tr><th>线索编号</th><th>线索标题</th><th>风险等级</th><th>涉及金额（元）</th><th>整改期限</th><th>操作</th></tr></thead>
          <tbody>
            <tr v-for="clue in summary.latest" :key="clue.number" :data-id="clue.number">
              <td>{{ clue.number }}</td><td>{{ clue.title }}</td>
              <td><span class="tag-level" :data-value="clue.level">{{ clue.level }}</span></td>
              <td>{{ yuan(clue.amount_cents) }}</td><td>{{ clue.due }}</td><td><a href="/compliance">去处理</a></td>
            </tr>
          </tbody>
        </table>
      </section>
    </div>`,
});
