/** A piece of a document: a paragraph, list item or table row, or with a level (1 to 6) a heading. */
export interface Block {
  readonly text: string;
  readonly level?: number;
}

/** A document as read: pieces in order, and the title that it gives itself. */
export interface Blocks {
  readonly title?: string;
  readonly blocks: readonly Block[];
}
