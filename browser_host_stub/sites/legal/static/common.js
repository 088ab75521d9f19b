// What the pages of the legal site share: the shell around them, refusals, starting a page.
window.legal = (() => {
  const { ElMessage } = ElementPlus;

  const attempt = async (work, done = "") => {
    const answer = await demo.attempt(work, (error) => ElMessage.error(error.message));
    if (answer && done) ElMessage.success(done);
    return answer;
  };

  const tree = (groups) => Object.entries(groups ?? {}).map(([name, children]) => ({
    label: name, value: name, children: children.map((child) => ({ label: child, value: child })),
  }));

  const pager = () => (demo.paging.style === "simple" ? "prev, pager, next" : "total, prev, pager, next, jumper");
  const amount = (value) => (value === null || value === undefined ? "" : Number(value).toFixed(2));
  const tone = (status) => ({ 审批中: "warning", 履约中: "primary", 已完结: "success", 已终止: "info" })[status];

  const shell = `
    <el-config-provider :locale="locale">
      <header class="legal-head">
        <span class="legal-brand">{{ site }}</span>
        <el-menu class="legal-menu" mode="horizontal" :default-active="path" background-color="#14314f" text-color="#cfd8e3"
          active-text-color="#fff" :ellipsis="false" @select="go">
          <el-menu-item index="/">工作台</el-menu-item>
          <el-sub-menu index="contract-menu">
            <template #title>合同管理</template>
            <el-menu-item index="/contracts">合同台账</el-menu-item>
            <el-menu-item index="/contracts/new">新建合同</el-menu-item>
          </el-sub-menu>
          <el-menu-item index="/monitor">履约监测</el-menu-item>
        </el-menu>
        <el-dropdown trigger="hover" @command="go">
          <span class="legal-user">{{ user }} · {{ position }} <el-icon><arrow-down /></el-icon></span>
          <template #dropdown>
            <el-dropdown-menu>
              <el-dropdown-item command="/contracts">我的合同</el-dropdown-item>
              <el-dropdown-item command="/logout" divided>退出登录</el-dropdown-item>
            </el-dropdown-menu>
          </template>
        </el-dropdown>
      </header>
      <main class="legal-main">
        <el-breadcrumb separator="/">
          <el-breadcrumb-item>法务合同</el-breadcrumb-item><el-breadcrumb-item>{{ title }}</el-breadcrumb-item>
        </el-breadcrumb>
        <h1 class="legal-title">{{ title }}</h1>
        <page-body></page-body>
      </main>
    </el-config-provider>`;

  const start = (page) => {
    const root = document.getElementById("legal-app");
    const { site, title, user, position } = root.dataset;
    const app = Vue.createApp({
      template: shell,
      data: () => ({ site, title, user, position, path: location.pathname, locale: ElementPlusLocaleZhCn }),
      methods: { go(path) { location.assign(path); } },
    });
    app.component("page-body", page);
    for (const [name, icon] of Object.entries(ElementPlusIconsVue)) app.component(name, icon);
    app.config.globalProperties.money = demo.money;
    app.config.globalProperties.tone = tone;
    app.use(ElementPlus).mount(root);
  };

  return { attempt, tree, pager, amount, start };
})();
