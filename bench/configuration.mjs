/** The response of `GET /connection` except the session, from the shipped catalogue. */
import { readFileSync } from 'node:fs';

const { avatars, languages, projects } = JSON.parse(readFileSync('catalogue/default.json', 'utf8'));
const base = `http://127.0.0.1:${process.env.PORT}`;
const { chat_types, messageTimeoutSeconds, stopSpeakingTimeoutSeconds, vadEnabled, voiceModeSelector } =
  projects[0].settings;

export const CONFIGURATION = {
  avatars_info: avatars.map(
    ({ _id, name, greetingText, hasLiveMode, previewIcons: { small, medium, large }, startButtonIcon, idleVideo }) => ({
      _id,
      name,
      greetingText,
      hasLiveMode,
      previewIcons: { small: base + small, medium: base + medium, large: base + large },
      startButtonIcon: base + startButtonIcon,
      idleVideo: base + idleVideo,
    }),
  ),
  languages: languages.map(({ name, language_code, icon_url }) => ({ name, language_code, icon_url: base + icon_url })),
  chat_types,
  messageTimeoutSeconds,
  stopSpeakingTimeoutSeconds,
  vadEnabled,
  voiceModeSelector,
};
