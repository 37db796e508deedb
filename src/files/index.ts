export { PhonemeDetails, type SpeechDetails } from './file.dto.js';
export { FileRendition, type RenditionAnswer } from './file.rendition.js';
export { type FileRequest, rangeBounds } from './file.response.js';
export { FILE_LIMIT } from './file.upload.js';
export { FileService, type SavedFile } from './file.service.js';
export { type ByteRange, type FileDescription, FileStore, type StoredFile } from './file-store.js';
export { FileStoreRegistry } from './file-store.registry.js';
export { FilesModule } from './files.module.js';
export { FileUrls } from './file.urls.js';
