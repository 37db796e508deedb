export { type ListedTools, ProjectTools } from './project.tools.js';
export { ToolsModule } from './tools.module.js';
