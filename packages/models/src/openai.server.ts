/** A model on any server with the OpenAI API, as in a catalogue entry. */
export interface OpenAiServer {
  /** Base URL including the version: `https://api.openai.com/v1`, `http://127.0.0.1:11434/v1`. */
  readonly base_url: string;
  readonly model: string;
  /** The name of the environment variable that holds the key; omitted for a server without one. */
  readonly api_key_env?: string;
}
