/** The types of values in the metadata of a GGUF file. */
const [U32, I32, F32, BOOL, TEXT, LIST] = [4, 5, 6, 7, 8, 9];
const [WIDTH, INNER, LAYERS, HEADS] = [64, 128, 2, 4];
const TEMPLATE =
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const f32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};
const text = (value: string) => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);
const list = (type: number, items: Buffer[]) => Buffer.concat([u32(type), u64(items.length), ...items]);
const field = (name: string, type: number, value: Buffer) => Buffer.concat([text(name), u32(type), value]);
const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((32 - (bytes.length % 32)) % 32)]);

/** The characters that stand for bytes in byte-level vocabularies. */
function byteCharacters(): string[] {
  const isVisible = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isVisible(byte) ? byte : next++));
}

/** A language model of half a megabyte whose random weights say nothing sensible: each byte is a token. */
export function tinyGguf(): Buffer {
  const bytes = byteCharacters();
  const tokens = ['<|endoftext|>', '<|im_start|>', '<|im_end|>', ...bytes];
  const metadata = [
    field('general.architecture', TEXT, text('llama')),
    field('llama.block_count', U32, u32(LAYERS)),
    field('llama.context_length', U32, u32(8192)),
    field('llama.embedding_length', U32, u32(WIDTH)),
    field('llama.feed_forward_length', U32, u32(INNER)),
    field('llama.attention.head_count', U32, u32(HEADS)),
    field('llama.attention.layer_norm_rms_epsilon', F32, f32(1e-5)),
    field('llama.rope.dimension_count', U32, u32(WIDTH / HEADS)),
    field('llama.vocab_size', U32, u32(tokens.length)),
    field('tokenizer.ggml.model', TEXT, text('gpt2')),
    field('tokenizer.ggml.pre', TEXT, text('gpt-2')),
    field('tokenizer.ggml.tokens', LIST, list(TEXT, tokens.map(text))),
    field(
      'tokenizer.ggml.token_type',
      LIST,
      list(
        I32,
        tokens.map((_, index) => u32(index < 3 ? 3 : 1)),
      ),
    ),
    field('tokenizer.ggml.merges', LIST, list(TEXT, [text(`${bytes[33]} ${bytes[34]}`)])),
    field('tokenizer.ggml.bos_token_id', U32, u32(1)),
    field('tokenizer.ggml.eos_token_id', U32, u32(2)),
    field('tokenizer.ggml.add_bos_token', BOOL, Buffer.of(0)),
    field('tokenizer.chat_template', TEXT, text(TEMPLATE)),
  ];
  let seed = 7;
  const random = () => ((seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff - 0.5) / 5;
  const tensors: { name: string; sizes: number[]; data: Buffer }[] = [];
  const add = (name: string, sizes: number[], value = random) => {
    const values = Float32Array.from({ length: sizes.reduce((product, size) => product * size) }, value);
    tensors.push({ name: `${name}.weight`, sizes, data: Buffer.from(values.buffer) });
  };
  add('token_embd', [WIDTH, tokens.length]);
  add('output_norm', [WIDTH], () => 1);
  add('output', [WIDTH, tokens.length]);
  for (let layer = 0; layer < LAYERS; layer++) {
    const of = `blk.${layer}`;
    add(`${of}.attn_norm`, [WIDTH], () => 1);
    for (const part of ['q', 'k', 'v', 'output']) add(`${of}.attn_${part}`, [WIDTH, WIDTH]);
    add(`${of}.ffn_norm`, [WIDTH], () => 1);
    for (const part of ['gate', 'up']) add(`${of}.ffn_${part}`, [WIDTH, INNER]);
    add(`${of}.ffn_down`, [INNER, WIDTH]);
  }
  let offset = 0;
  const places = tensors.map(({ name, sizes, data }) => {
    const place = Buffer.concat([text(name), u32(sizes.length), ...sizes.map(u64), u32(0), u64(offset)]);
    offset += padded(data).length;
    return place;
  });
  const head = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(metadata.length), ...metadata, ...places];
  return Buffer.concat([padded(Buffer.concat(head)), ...tensors.map(({ data }) => padded(data))]);
}
