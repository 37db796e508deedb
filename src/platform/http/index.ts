export { assetFile, ASSETS } from './assets.js';
export { beginResponse, BODY_LIMIT, createAdapter, leavingOf, remainingMs, ServiceAdapter } from './adapter.js';
export { HttpModule } from './http.module.js';
export { Mount } from './mount.js';
export { mountOf, PublicUrl } from './public-url.js';
export { EVENT_STREAM_HEADERS, setPagePolicy } from './response-headers.js';
export { BRIEF, endSpan } from './request-ids.js';
