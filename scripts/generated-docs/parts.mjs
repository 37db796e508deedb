const service = new Map(Object.entries(await import('../../dist/index.js')));
const testing = await import('../../dist/testing/index.js');

const BY_KIND = '`kind` in the catalogue';
const PROVIDED = 'provided in a module';
/** What a team can replace or add: the export that it extends or applies, how the service selects it, and its contract test. */
const PARTS = [
  ['Engine of an avatar', 'AvatarEngine', BY_KIND, 'engineContract'],
  ['Text-to-speech', 'Speaker', BY_KIND, 'speakerContract'],
  ['Speech-to-text', 'Transcriber', BY_KIND, 'transcriberContract'],
  ['File storage', 'FileStore', PROVIDED, 'fileStoreContract'],
  ['Verifier of tokens', 'TokenVerifier', '`identity.kind` of a project', 'tokenVerifierContract'],
  ['Tool of models', 'EngineTool', "the avatar's `tools`"],
  ['Part of the system prompt', 'PromptSource', PROVIDED],
  ['Hook before a turn', 'BeforeTurn', PROVIDED],
  ['Hook after a turn', 'AfterTurn', PROVIDED],
  ['Listener of events', 'OnEvent', "the event's name"],
  ['User data that erasures remove', 'ErasableData', PROVIDED],
  ['Health check', 'HealthCheck', PROVIDED],
  ['Migration', 'Migration', 'runs once, by its name'],
  ['Command', 'CliCommand', "the command's name"],
  ['Guard of routes', 'GuardedBy', 'on controllers and handlers'],
  ['Rate limit', 'RateLimit', 'on controllers and handlers'],
];

/** The table of extension points. A part that the public API no longer exports is an error. */
export function renderParts() {
  const rows = PARTS.map(([what, name, selected, contract]) => {
    if (!service.has(name)) throw new Error(`The public API does not export ${name}`);
    if (contract && !(contract in testing)) throw new Error(`The test kit does not export ${contract}`);
    const isClass = /^class\b/.test(String(service.get(name)));
    return `| ${what} | ${isClass ? `extend \`${name}\`` : `\`@${name}()\``} | ${selected} | ${contract ? `\`${contract}\`` : ''} |`;
  });
  return ['| Part | By | Selected by | Contract test |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
