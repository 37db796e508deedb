import type { INestApplicationContext } from '@nestjs/common';
import { AdminQuality, AdminService } from '../admin/index.js';
import { ProjectTools } from '../tools/index.js';
import { CatalogueService } from '../catalogue/index.js';
import { SpeechService } from '../speech/index.js';
import { type Call, CommandError, type Terminal } from 'avatar-chat-command-line';

export async function listProjects(app: INestApplicationContext, _: Call, terminal: Terminal): Promise<void> {
  const projects = await app.get(AdminService).listProjects();
  await terminal.print(projects.map((project_id) => `${project_id}\n`).join(''));
}

export async function showProject(
  app: INestApplicationContext,
  { project_id }: Call,
  terminal: Terminal,
): Promise<void> {
  const project = await app.get(AdminService).showProject(project_id);
  await terminal.print(`${JSON.stringify(project, null, 2)}\n`);
}

/** Default period of reports, in days. */
const QUALITY_DAYS = 30;

export async function showQuality(
  app: INestApplicationContext,
  { project_id, days = QUALITY_DAYS }: Call,
  terminal: Terminal,
): Promise<void> {
  await terminal.print(`${JSON.stringify(await app.get(AdminQuality).report(project_id, days), null, 2)}\n`);
}

export async function showUsage(
  app: INestApplicationContext,
  { project_id, days = QUALITY_DAYS }: Call,
  terminal: Terminal,
): Promise<void> {
  const { days: rows } = await app.get(AdminQuality).usage(project_id, days);
  await terminal.print(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
}

/** How long the old key stays valid, in hours. */
const GRACE_HOURS = 24;

export async function rotateKey(
  app: INestApplicationContext,
  { project_id, grace = GRACE_HOURS }: Call,
  terminal: Terminal,
): Promise<void> {
  await terminal.print(`${await app.get(AdminService).rotateKey(project_id, grace)}\n`);
}

export async function addProject(
  app: INestApplicationContext,
  { project_id, keepMessages }: Call,
  terminal: Terminal,
): Promise<void> {
  await app.get(AdminService).addProject(project_id, keepMessages);
  await terminal.print(`added ${project_id}\n`);
}

export async function removeProject(
  app: INestApplicationContext,
  { project_id, erase }: Call,
  terminal: Terminal,
): Promise<void> {
  const admin = app.get(AdminService);
  if (erase) {
    const { messages } = await admin.eraseProject(project_id);
    return terminal.print(`removed ${project_id}\nerased: messages ${messages}\n`);
  }
  await admin.removeProject(project_id);
  await terminal.print(`removed ${project_id}\n`);
  const left = await admin.countMessages(project_id);
  if (left === 0) return;
  terminal.say(
    `Messages left: ${left ?? 'more than can be counted in 10 s'}. messages export and messages erase still reach them; project remove ${project_id} --erase erases them all.`,
  );
}

const MAX_DESCRIPTION = 100;

/** Asks the tool servers of a project. What they say of themselves reaches a terminal. */
export async function listTools(app: INestApplicationContext, { project_id }: Call, terminal: Terminal): Promise<void> {
  const lists = await app.get(ProjectTools).list(project_id);
  const lines = lists.flatMap(({ server, tools = [], leftOut = [], reason }) => [
    ...tools.map(({ name, description }) => `${name}  ${shown(description)}`),
    ...leftOut.map((one) => `${server}: ${JSON.stringify(shown(one.name))} is left out: ${shown(one.reason)}`),
    ...(reason === undefined ? [] : [`${server}: not available: ${reason}`]),
  ]);
  await terminal.print(lines.map((line) => `${line}\n`).join(''));
  if (lists.some(({ reason }) => reason !== undefined)) throw new CommandError('Not all tool servers are available.');
}

/** In one line, without characters that control a terminal. */
function shown(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION).toWellFormed()}…` : line;
}

/** Prints a line for each project and language without recognition or a natural voice for every avatar. */
export async function listLacks(app: INestApplicationContext, _: Call, terminal: Terminal): Promise<void> {
  const catalogue = app.get(CatalogueService);
  const speech = app.get(SpeechService, { strict: false });
  const lines: string[] = [];
  for (const { project_id } of await catalogue.listProjects()) {
    const resolved = await catalogue.findResolvedProject(project_id);
    const { project, avatars, languages } = resolved ?? { avatars: [], languages: [] };
    for (const { language_code } of languages) {
      const lacks = await speech.lacks(
        project?.speech,
        language_code,
        avatars.map(({ voice }) => voice?.gender),
      );
      if (lacks.length > 0)
        lines.push(`${project_id}  ${language_code}  lacks ${lacks.join(', ')}: speech install ${language_code}\n`);
    }
  }
  await terminal.print(lines.join(''));
}
