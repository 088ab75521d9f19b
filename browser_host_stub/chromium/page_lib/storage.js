// The page's own stores. The getters and methods are those of this world: the page cannot put others in their place.

const storeMethod = (name) => (store, ...args) => Reflect.apply(Storage.prototype[name], store, args);
const [getItem, setItem, clearStore] = ['getItem', 'setItem', 'clear'].map(storeMethod);

/** What `use` makes of the page's stores; pages without an origin of their own have none. */
function withStores(use) {
  let stores;
  try {
    stores = [window.localStorage, window.sessionStorage];
  } catch (error) {
    return refuse('ACTION_FAILED', { why: '这个页面没有本地存储' });
  }
  return use(...stores);
}

const readItem = (key) => withStores((local) => ({ origin: window.origin, value: getItem(local, key) }));

function writeItem(key, value) {
  return withStores((local) => {
    try {
      setItem(local, key, value);
    } catch (error) {
      return refuse('ACTION_FAILED', { why: '本地存储已满' });
    }
    return getItem(local, key) === value ? {} : refuse('ACTION_FAILED', { why: '写入后读回的值不同' });
  });
}

function clearItems() {
  return withStores((...stores) => {
    stores.forEach((store) => clearStore(store));
    return stores.some((store) => store.length > 0) ? refuse('ACTION_FAILED', { why: '清空后仍有内容' }) : {};
  });
}
