import type { Command } from '../../contract/commands.ts'
import { call } from '../client/api.ts'
import { queryClient } from '../client/query-client.ts'

export type CommandFields = Pick<Command, 'name' | 'prompt' | 'run_mode' | 'folder_id'>

/** Creates a command, or saves the differences. Throws the reason for a refusal. */
export async function saveCommand(command: Command | null, fields: CommandFields): Promise<void> {
  const { folder_id, ...content } = fields
  try {
    if (command === null) {
      await call('POST /api/quick-commands', { body: fields })
      return
    }
    const params = { command_id: command.command_id }
    const { name, prompt, run_mode } = content
    if (name !== command.name || prompt !== command.prompt || run_mode !== command.run_mode)
      await call('PATCH /api/quick-commands/{command_id}', { params, body: content })
    if (folder_id !== command.folder_id)
      await call('PATCH /api/quick-commands/{command_id}/folder', { params, body: { folder_id } })
  } finally {
    await queryClient.invalidateQueries({ queryKey: ['commands'] })
  }
}
