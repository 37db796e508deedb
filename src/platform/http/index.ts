export { BODY_LIMIT, ServiceAdapter, createAdapter } from './adapter.js';
export { HeldBytes } from './held-bytes.js';
export { HttpModule } from './http.module.js';
export { PublicUrl } from './public-url.js';
export { setPagePolicy } from './response-headers.js';
