const { createApp, reactive, ref, watch } = Vue;
const named = (list) => list.map((label) => ({ label, value: label }));
const m = reactive({ dept: '', search: '', remote: '', multi: [], groups: '', virtual: '', twins: '', off: '', unit: null, 'unit-multi': [], 'unit-plain': [], date: '', 'date-cn': '', 'date-readonly': '', 'date-limited': '', month: '', 'month-readonly': '', year: '', time: '', datetime: '',
  'range-start': '', 'range-end': '', 'old-date': '', number: 1, money: 0, switch: false, 'switch-off': false, agree: false, checks: [], radios: '', 'radio-buttons': '', text: '', area: '', week: '', quarter: '', slider: 0, rate: 0, color: '#409eff', transfer: [], 'modal-dept': '', 'modal-date': '', 'drawer-dept': '', tree: [] });
for (const key of Object.keys(m)) watch(() => m[key], (value) => lab.tell(key, value), { deep: true });
createApp({ setup() {
  const found = ref([]), files = ref([]), modal = ref(false), drawer = ref(false), orders$ = ref();
  const rows = lab.numbered(400, '凭证').map((name, index) => ({ id: index + 1, name, a: '甲方' + index, b: '乙方' + index, c: '摘要' + index }));
  const orders = reactive({ height: 320, border: true, showOverflow: true, rowConfig: { keyField: 'id', isHover: true }, virtualYConfig: { enabled: true, gt: 0 }, checkboxConfig: {}, data: rows, pagerConfig: { enabled: true, total: 2000, currentPage: 1, pageSize: 20 },
    menuConfig: { body: { options: [[{ code: 'copy', name: '复制整行' }, { code: 'mark', name: '做标记' }]] } },
    columns: [{ type: 'checkbox', width: 50, fixed: 'left' }, { field: 'name', title: '凭证', width: 200, fixed: 'left' }, { field: 'a', title: '甲方', width: 400 }, { field: 'b', title: '乙方', width: 400 }, { field: 'c', title: '摘要', width: 400 }, { title: '操作', width: 100, fixed: 'right', slots: { default: 'op' } }] });
  const editing = reactive({ height: 220, border: true, editConfig: { trigger: 'click', mode: 'cell' }, data: [{ id: 1, dept: '财务部', amount: 10, day: '2026-01-01' }, { id: 2, dept: '法务部', amount: 20, day: '2026-01-02' }],
    columns: [{ type: 'seq', width: 50 }, { field: 'dept', title: '部门', editRender: { name: 'VxeSelect', options: named(lab.departments) } }, { field: 'amount', title: '金额', editRender: { name: 'VxeNumberInput' } }, { field: 'day', title: '日期', editRender: { name: 'VxeDatePicker', props: { type: 'date' } } }] });
  return { m, tell: lab.tell, found, files, modal, drawer, orders, editing, departments: lab.departments.map((label) => ({ label, value: label, disabled: label === '已停用部门' })), many: named(lab.numbered(300, '项目')), huge: named(lab.numbered(3000, '科目')), people: named(lab.people), units: lab.units,
    groups: [{ label: '职能', options: [{ label: '财务', value: 'f' }] }, { label: '业务', options: [{ label: '销售', value: 's' }, { label: '采购', value: 'p' }] }],
    remoteQuery: async ({ searchValue }) => { found.value = named(await lab.options(searchValue)); }, limited: ({ date }) => date.getDate() > 20,
    sent: async ({ file }) => { lab.tell('upload', file.name); return { name: file.name, url: '/x' }; },
    turned: ({ currentPage, pageSize }) => { Object.assign(orders.pagerConfig, { currentPage, pageSize }); lab.tell('pager', [currentPage, pageSize]); },
    picked: ({ $grid, $table }) => lab.tell('orders', ($table || $grid).getCheckboxRecords().map((row) => row.id)),
    toast: () => { VxeUI.modal.message({ content: '保存成功', status: 'success' }); lab.tell('toast', 'shown'); } };
} }).use(VxeUI).use(VxeUITable).mount('#app');
