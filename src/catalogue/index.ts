export { AvatarIdField, chosenAvatar, chosenLanguage, LanguageCodeField } from './catalogue.choice.js';
export { CatalogueModule } from './catalogue.module.js';
export { CatalogueService } from './catalogue.service.js';
export { ProjectSecrets, validKeys } from './project.secrets.js';
