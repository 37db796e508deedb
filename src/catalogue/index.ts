export { CatalogueFileError } from './catalogue.file.js';
export { CatalogueModule } from './catalogue.module.js';
export { type CatalogueCheck, CatalogueService } from './catalogue.service.js';
export {
  type Avatar,
  AVATAR_ID,
  CHAT_TYPES,
  type ChatType,
  DEFAULT_PROJECT,
  type EngineEntry,
  type Language,
  LANGUAGE_CODE,
  type Offer,
  type Project,
  PROJECT_ID,
  type Settings,
} from './catalogue.types.js';
