/** The Mongoose models of the peers, as in a tutorial. */
import mongoose, { Schema } from 'mongoose';

const text = { type: String, required: true };
/** @type {mongoose.SchemaOptions<any>} */
const plain = { versionKey: false, autoIndex: false, autoCreate: false };

export const messageSchema = new Schema(
  {
    _id: String,
    project_id: text,
    user_id: text,
    direction: text,
    request: String,
    answer: String,
    avatar_id: text,
    avatar_name: String,
    date: { type: Number, required: true },
    chat_type: text,
    language_code: text,
    fileUrl: String,
  },
  { ...plain, collection: 'messages' },
);
export const sessionSchema = new Schema(
  { _id: String, project_id: text, user_id: text, expires_at: { type: Date, required: true } },
  { ...plain, collection: 'sessions' },
);
export const avatarSchema = new Schema(
  {
    _id: String,
    name: text,
    greetingText: text,
    hasLiveMode: Boolean,
    previewIcons: { small: String, medium: String, large: String },
    startButtonIcon: String,
    idleVideo: String,
  },
  { ...plain, collection: 'bench_avatars' },
);
export const languageSchema = new Schema(
  { name: text, language_code: text, icon_url: text },
  { ...plain, collection: 'bench_languages' },
);

export const Message = mongoose.model('Message', messageSchema);
export const Session = mongoose.model('Session', sessionSchema);
export const Avatar = mongoose.model('Avatar', avatarSchema);
export const Language = mongoose.model('Language', languageSchema);
