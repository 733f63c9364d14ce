import { z } from 'zod'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'

/** Characters (Unicode code points) in the trimmed name of a command or of a folder of commands. */
export const COMMAND_NAME_LIMIT = 80
/** Characters (Unicode code points). */
export const COMMAND_PROMPT_LIMIT = 20_000
/** Of one user. */
export const COMMANDS_LIMIT = 2000
/** Of one user. */
export const COMMAND_FOLDERS_LIMIT = 200
/** Maximum bytes of a file to import. */
export const COMMAND_IMPORT_LIMIT = 2 * 1024 * 1024

/**
 * What running a command does with its filled-in prompt: `insert` puts it into the message box, `send` sends it in the
 * current conversation, `new` in a new one. Sending is `POST /api/chat`, so the same rules apply as for typing.
 */
export const RUN_MODES = ['insert', 'send', 'new'] as const
export type RunMode = (typeof RUN_MODES)[number]

export const CommandFolder = z.strictObject({ folder_id: Id, name: z.string() })
export type CommandFolder = z.infer<typeof CommandFolder>
export const Command = z.strictObject({
  command_id: Id,
  name: z.string(),
  /** May contain variables; see contract/variables.ts. */
  prompt: z.string(),
  run_mode: z.enum(RUN_MODES),
  folder_id: Id.nullable(),
  created_at: Timestamp,
  /** When name, prompt or run mode last changed; moving it to another folder doesn't count. */
  updated_at: Timestamp,
})
export type Command = z.infer<typeof Command>

// The feature checks these values, with an error code (400) for each; the figures are for the documentation.
const Name = z.string().meta({ minLength: 1, maxLength: COMMAND_NAME_LIMIT })
const Prompt = z.string().meta({ minLength: 1, maxLength: COMMAND_PROMPT_LIMIT })
const Mode = z.string().meta({ enum: [...RUN_MODES] })

const FolderName = z
  .string()
  .trim()
  .refine((name) => !isBlank(name), 'A name needs at least one visible character')
  .refine((name) => characters(name) <= COMMAND_NAME_LIMIT, `At most ${COMMAND_NAME_LIMIT} characters`)
  .meta({ minLength: 1, maxLength: COMMAND_NAME_LIMIT })

/** Length as people (and JSON Schema) count it: in code points, not UTF-16 units. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Whether nothing of the text is visible: it is empty or only spaces, control and invisible characters. */
export function isBlank(text: string): boolean {
  return !/[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text)
}

/** Quick commands as a file. It refers to folders by name, not by id, so that it means the same for everyone. */
export const CommandFile = z.strictObject({
  version: z.literal(1),
  folders: z.array(z.strictObject({ name: z.string() })).max(COMMAND_FOLDERS_LIMIT),
  commands: z
    .array(
      z.strictObject({
        name: Name,
        prompt: Prompt,
        run_mode: Mode,
        /** Name of one of `folders`, or null. */
        folder: z.string().nullable(),
      }),
    )
    .max(COMMANDS_LIMIT),
})
export type CommandFile = z.infer<typeof CommandFile>

const CommandParams = z.object({ command_id: Id })

/** Quick commands and their folders. Each user has their own. */
export const commands = {
  list: route({
    method: 'GET',
    path: '/api/quick-commands',
    summary: 'My quick commands and their folders by name; q finds every word in name and prompt',
    access: 'session',
    tokenNeeds: 'commands.read',
    revised: true,
    query: z.object({ q: z.string().max(200).default(''), limit: limit(100), cursor: Cursor }),
    response: json(
      z.strictObject({
        items: z.array(Command),
        folders: z.array(CommandFolder),
        query: z.string(),
        next_cursor: NextCursor,
      }),
    ),
    errors: [],
  }),
  create: route({
    method: 'POST',
    path: '/api/quick-commands',
    summary: `Save a quick command; at most ${COMMANDS_LIMIT} for one user`,
    access: 'session',
    tokenNeeds: 'commands.write',
    body: json(
      z.strictObject({
        name: Name,
        prompt: Prompt,
        run_mode: Mode.default('insert'),
        folder_id: Id.nullable().default(null),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, item: Command })),
    errors: ['bad_name', 'bad_prompt', 'bad_run_mode', 'too_many_commands', 'not_found'],
  }),
  update: route({
    method: 'PATCH',
    path: '/api/quick-commands/{command_id}',
    summary: 'Change a quick command: what is given, and nothing else',
    access: 'session',
    tokenNeeds: 'commands.write',
    params: CommandParams,
    body: json(z.strictObject({ name: Name.optional(), prompt: Prompt.optional(), run_mode: Mode.optional() })),
    response: json(z.strictObject({ ok: Ok, item: Command })),
    errors: ['bad_name', 'bad_prompt', 'bad_run_mode', 'not_found'],
  }),
  remove: route({
    method: 'DELETE',
    path: '/api/quick-commands/{command_id}',
    summary: 'Delete a quick command',
    access: 'session',
    tokenNeeds: 'commands.write',
    params: CommandParams,
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  assignFolder: route({
    method: 'PATCH',
    path: '/api/quick-commands/{command_id}/folder',
    summary: 'File a quick command in a folder; null unfiles it',
    access: 'session',
    tokenNeeds: 'commands.write',
    params: CommandParams,
    body: json(z.strictObject({ folder_id: Id.nullable() })),
    response: json(z.strictObject({ ok: Ok, command_id: Id, folder_id: Id.nullable() })),
    errors: ['not_found'],
  }),
  createFolder: route({
    method: 'POST',
    path: '/api/quick-command-folders',
    summary: `Create a folder for quick commands; names are unique, ignoring case; at most ${COMMAND_FOLDERS_LIMIT} for one user`,
    access: 'session',
    tokenNeeds: 'commands.write',
    body: json(z.strictObject({ name: FolderName })),
    response: json(z.strictObject({ ok: Ok, folder: CommandFolder })),
    errors: ['folder_exists', 'too_many_folders'],
  }),
  deleteFolder: route({
    method: 'DELETE',
    path: '/api/quick-command-folders/{folder_id}',
    summary: 'Delete a folder; its quick commands are unfiled, none is deleted',
    access: 'session',
    tokenNeeds: 'commands.write',
    params: z.object({ folder_id: Id }),
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  exportAll: route({
    method: 'GET',
    path: '/api/quick-commands/export',
    summary: 'All my quick commands and their folders, in the form that the import takes',
    access: 'session',
    tokenNeeds: 'commands.read',
    response: json(CommandFile),
    errors: [],
  }),
  importAll: route({
    method: 'POST',
    path: '/api/quick-commands/import',
    summary:
      'Add exported quick commands to mine, all or none; at most 2 MiB. What I have already stays as it is: another one of the same name and folder gets a new name, or takes its place with on_conflict=replace',
    access: 'session',
    tokenNeeds: 'commands.write',
    query: z.object({ on_conflict: z.enum(['rename', 'replace']).default('rename') }),
    body: { ...json(CommandFile), limit: COMMAND_IMPORT_LIMIT },
    response: json(
      z.strictObject({
        ok: Ok,
        /** Commands added under their name in the file. */
        created: z.int(),
        /** Commands added under a new name. */
        renamed: z.int(),
        replaced: z.int(),
        /** Commands that already existed identically. */
        unchanged: z.int(),
        folders_created: z.int(),
      }),
    ),
    errors: ['bad_command_import', 'too_many_commands', 'too_many_folders', 'payload_too_large'],
  }),
}
