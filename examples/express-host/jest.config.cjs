const esm = [
  '@nestjs',
  'avatar-chat-[^/]+',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@tokenizer',
  '@borewit',
];
esm.push('content-disposition', 'cookie', 'jose', 'mpg123-decoder', '@wasm-audio-decoders', '@eshaz/web-worker');
const parser = { syntax: 'typescript', decorators: true };
const transform = { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false };

module.exports = {
  testEnvironment: 'node',
  testRegex: 'spec\\.ts$',
  testTimeout: 60_000,
  transform: {
    '^.+\\.(m?js|ts)$': ['@swc/jest', { jsc: { target: 'es2022', parser, transform }, module: { type: 'commonjs' } }],
  },
  // Of a nested package, only the innermost name counts.
  transformIgnorePatterns: [`/node_modules/(?!.*/node_modules/)(?!(${esm.join('|')})/)`],
};
