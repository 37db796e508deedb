export { AvatarIdField, chosenAvatar, chosenLanguage, LanguageCodeField } from './catalogue.choice.js';
export { type CatalogueCheck } from './catalogue.checks.js';
export { type CatalogueFault, CatalogueFileError, faultsAt } from './catalogue.file.js';
export { CATALOGUE_FILE_SCHEMA } from './catalogue.file.schema.js';
export { CatalogueModule } from './catalogue.module.js';
export { CatalogueService } from './catalogue.service.js';
export { greetingIn, suggestionsIn } from './greetings.js';
export { ProjectSecrets, validKeys } from './project.secrets.js';
export {
  type Avatar,
  AVATAR_ID,
  CHAT_TYPES,
  type ChatType,
  DEFAULT_PROJECT,
  type HandoverSettings,
  type IdentityEntry,
  type Language,
  LANGUAGE_CODE,
  type ResolvedProject,
  type Project,
  PROJECT_ID,
  type ToolServer,
  type Webhook,
  type WebhookTool,
} from './catalogue.types.js';
