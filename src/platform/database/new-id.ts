import { Types } from 'mongoose';

/** An identifier for a document. Later ones of a process are greater. */
export const newId = (): string => new Types.ObjectId().toHexString();
