import { COMMANDS_LIMIT, type Command } from '../../contract/commands.ts'
import type { Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { newId } from '../kernel/id.ts'
import { fold } from '../kernel/text/plain-text.ts'
import { changeCommands, type CommandsContext } from './change-commands.ts'
import { findFolder } from './command-folders.ts'
import { commandName, commandPrompt, commandRunMode, nameColumns } from './command-text.ts'
import { COMMAND_COLUMNS, type CommandRow, toCommand } from './list-commands.ts'

export interface CommandText {
  readonly name: string
  readonly prompt: string
  readonly run_mode: string
}

/**
 * A user's quick commands: prompts with a name. Running one is up to the page, which fills in the variables and sends
 * an ordinary message. Other users' commands do not exist for the caller.
 */
export class Commands {
  readonly #context: CommandsContext

  constructor(context: CommandsContext) {
    this.#context = context
  }

  /** @throws {AppError} bad_name, bad_prompt, bad_run_mode, not_found (the folder), too_many_commands */
  async create(user_id: string, text: CommandText, folder_id: string | null): Promise<Command> {
    const row = newRow(user_id, text, folder_id, Date.now())
    return changeCommands(this.#context, user_id, async (trx) => {
      if (folder_id !== null) await findFolder(trx, user_id, folder_id)
      await refuseTooMany(trx, user_id, 1)
      await trx.insertInto('command').values(row).execute()
      return { answer: toCommand(row), changed: { command_id: row.command_id } }
    })
  }

  /** Changes only what is given. @throws {AppError} bad_name, bad_prompt, bad_run_mode, not_found */
  async update(
    user_id: string,
    command_id: string,
    { name, prompt, run_mode }: { [K in keyof CommandText]?: CommandText[K] | undefined },
  ): Promise<Command> {
    const set = {
      ...(name === undefined ? {} : nameColumns(commandName(name))),
      ...(prompt === undefined ? {} : promptColumns(prompt)),
      ...(run_mode === undefined ? {} : { run_mode: commandRunMode(run_mode) }),
    }
    return changeCommands(this.#context, user_id, async (trx) => {
      const before = await findCommand(trx, user_id, command_id)
      const after = { ...before, ...set }
      const same = after.name === before.name && after.prompt === before.prompt && after.run_mode === before.run_mode
      if (same) return { answer: toCommand(before), changed: null }
      // A clock that is set back must not make a change look older than what it changed.
      const updated_at = Math.max(Date.now(), before.updated_at)
      await trx
        .updateTable('command')
        .set({ ...set, updated_at })
        .where('command_id', '=', command_id)
        .execute()
      return { answer: toCommand({ ...after, updated_at }), changed: { command_id } }
    })
  }

  /** @throws {AppError} not_found */
  async delete(user_id: string, command_id: string): Promise<void> {
    await changeCommands(this.#context, user_id, async (trx) => {
      await findCommand(trx, user_id, command_id)
      await trx.deleteFrom('command').where('command_id', '=', command_id).execute()
      return { answer: undefined, changed: { command_id } }
    })
  }

  /** Moves the command into a folder, or out of it with null. @throws {AppError} not_found (either of them) */
  async assignFolder(user_id: string, command_id: string, folder_id: string | null): Promise<void> {
    await changeCommands(this.#context, user_id, async (trx) => {
      const before = await findCommand(trx, user_id, command_id)
      if (folder_id !== null) await findFolder(trx, user_id, folder_id)
      if (before.folder_id === folder_id) return { answer: undefined, changed: null }
      await trx.updateTable('command').set({ folder_id }).where('command_id', '=', command_id).execute()
      return { answer: undefined, changed: { command_id } }
    })
  }
}

/** A row to insert. @throws {AppError} bad_name, bad_prompt, bad_run_mode */
export function newRow(user_id: string, text: CommandText, folder_id: string | null, now: number) {
  return {
    ...nameColumns(commandName(text.name)),
    ...promptColumns(text.prompt),
    run_mode: commandRunMode(text.run_mode),
    command_id: newId('command'),
    user_id,
    folder_id,
    created_at: now,
    updated_at: now,
  }
}

export function promptColumns(text: string): { prompt: string; prompt_folded: string } {
  const prompt = commandPrompt(text)
  return { prompt, prompt_folded: fold(prompt) }
}

/** @throws {AppError} too_many_commands when `more` would exceed the limit */
export async function refuseTooMany(reader: Reader, user_id: string, more: number): Promise<void> {
  const { count } = await reader
    .selectFrom('command')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow()
  if (Number(count) + more > COMMANDS_LIMIT) {
    throw new AppError(
      'too_many_commands',
      say`You may have at most ${COMMANDS_LIMIT} quick commands. Delete some first.`,
    )
  }
}

async function findCommand(reader: Reader, user_id: string, command_id: string): Promise<CommandRow> {
  const row = await reader
    .selectFrom('command')
    .select(COMMAND_COLUMNS)
    .where('command_id', '=', command_id)
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  if (!row) throw new AppError('not_found', say`There is no such quick command.`)
  return row
}
