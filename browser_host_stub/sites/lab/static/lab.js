// Shared by all gallery pages. `lab.tell(key, value)` is called with a widget's model whenever it changes.
let told = Promise.resolve(); // one after the other: the server must end with what was told last
const send = (body) => fetch('/api/state', {
  method: 'POST', keepalive: true, headers: { 'Content-Type': 'application/json' }, body,
});
window.lab = {
  tell(key, value) {
    const body = JSON.stringify({ key, value: value === undefined ? null : value });
    told = told.then(() => send(body));
    return told;
  },
  async options(query) {
    return (await fetch('/api/options?q=' + encodeURIComponent(query))).json();
  },
  departments: ['财务部', '人力资源部', '法务部', '采购部', '信息技术部', '已停用部门'],
  regions: [
    { value: 'zj', label: '浙江', children: [
      { value: 'hz', label: '杭州', children: [{ value: 'xh', label: '西湖' }, { value: 'yh', label: '余杭' }] },
      { value: 'nb', label: '宁波', children: [{ value: 'hs', label: '海曙' }] } ] },
    { value: 'js', label: '江苏', children: [
      { value: 'nj', label: '南京', children: [{ value: 'xw', label: '玄武' }] } ] },
  ],
  units: [
    { id: 1, value: 1, key: '1', label: '集团总部', children: [
      { id: 2, value: 2, key: '2', label: '财务部', children: [{ id: 3, value: 3, key: '3', label: '会计科' }, { id: 4, value: 4, key: '4', label: '资金科' }] },
      { id: 5, value: 5, key: '5', label: '法务部' } ] },
    { id: 6, value: 6, key: '6', label: '华东分公司', children: [{ id: 7, value: 7, key: '7', label: '财务部' }] },
  ],
  people: ['张敏', '李强', '王芳', '赵磊', '陈静'],
  numbered(count, word) {
    return Array.from({ length: count }, (_, index) => word + String(index + 1).padStart(4, '0'));
  },
};
