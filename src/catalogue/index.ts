export { CatalogueFileError } from './catalogue.file.js';
export { CatalogueModule } from './catalogue.module.js';
export { CatalogueService } from './catalogue.service.js';
export {
  type Avatar,
  CHAT_TYPES,
  type ChatType,
  DEFAULT_PROJECT,
  type EngineEntry,
  type Language,
  type Offer,
  type Project,
  PROJECT_ID,
  type Settings,
} from './catalogue.types.js';
