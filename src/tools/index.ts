export { type ListedTools, ProjectTools } from './project.tools.js';
export { ToolsModule } from './tools.module.js';
export { withToolSecrets } from './webhook.tools.js';
