import { readdir, readFile } from 'node:fs/promises';

const SUMMARY =
  'Self-hosted avatar chat: people talk with configurable avatars by text, voice or video. NestJS, MongoDB, REST, server-sent events, and live conversations with the events of OpenAI Realtime.';

/** The list of pages for language models, as llmstxt.org has it: each with its sections. */
export async function renderPages() {
  const names = (await readdir('docs')).filter((name) => name.endsWith('.md')).sort();
  const pages = await Promise.all(
    names.map(async (name) => {
      const page = (await readFile(`docs/${name}`, 'utf8')).replace(/^( *)```[^]*?^\1```/gm, '');
      const [, title = name] = /^# (.+)$/m.exec(page) ?? [];
      const sections = [...page.matchAll(/^## (.+)$/gm)].map(([, section]) => section);
      return `- [${title}](${name})${sections.length > 0 ? `: ${sections.join(', ')}` : ''}`;
    }),
  );
  const also = [
    '- [README](../README.md)',
    '- [OpenAPI document](../openapi.json)',
    '- [Client](../packages/client/README.md)',
    '- [Changelog](../CHANGELOG.md)',
  ];
  return `# Avatar chat service\n\n> ${SUMMARY}\n\n## Documentation\n\n${pages.join('\n')}\n\n## Also\n\n${also.join('\n')}\n`;
}
