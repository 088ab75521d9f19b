// xe-utils comes as a module only, while the bundles built on it look for a global.
import XEUtils from "/lib/xe-utils/dist/all.esm.js";

window.XEUtils = XEUtils;
