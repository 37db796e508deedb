export { PhonemeDetails } from './file.dto.js';
export { FILE_LIMIT } from './file.upload.js';
export { FileService, type SavedFile } from './file.service.js';
export { type ByteRange, type FileDescription, FileStore, type StoredFile } from './file-store.js';
export { FilesModule } from './files.module.js';
export { FileUrls } from './file.urls.js';
export { VideoAnswers } from './video.answers.js';
