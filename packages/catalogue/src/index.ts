export { type CatalogueCheck, CatalogueChecks, type LeftoverCheck } from './catalogue.checks.js';
export {
  type CatalogueFault,
  CatalogueFileError,
  faultsAt,
  formatCatalogueFile,
  isStorable,
  parseCatalogueFile,
} from './catalogue.file.js';
export { CATALOGUE_FILE_SCHEMA } from './catalogue.file.schema.js';
export { IdentityIndex } from './catalogue.identity.js';
export {
  type Avatar,
  AVATAR_ID,
  type Catalogue,
  type CatalogueChange,
  CHAT_TYPES,
  type ChatType,
  DEFAULT_PROJECT,
  DEFAULT_SETTINGS,
  type Embeddings,
  type HandoverSettings,
  type IdentityEntry,
  type Language,
  LANGUAGE_CODE,
  type PreparedReply,
  type PreviousSecret,
  type Project,
  PROJECT_ID,
  PROJECT_PARTS,
  type ProjectChange,
  type ProjectSecretName,
  type ResolvedProject,
  resolveProjects,
  type Settings,
  type ToolServer,
  type VideoSettings,
  type Voice,
  type Webhook,
  type WebhookSecret,
  type WebhookTool,
  withoutSecrets,
} from './catalogue.types.js';
export { entryFaults, type FieldRule, type KindEntry, textRule } from './entry-rules.js';
export { EVENT_TYPES, type EventType, isModuleEvent, MODULE_EVENT, type ModuleEventType } from './event.names.js';
export { greetingIn, suggestionsIn } from './greetings.js';
export { newEpoch, newKey } from './project.keys.js';
