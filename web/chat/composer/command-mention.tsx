import { useQuery } from '@tanstack/react-query'
import { toolsQuery } from '../../client/queries.ts'
import { t } from '../../text/i18n.ts'
import { requestMessage } from './message-request.ts'
import { toolName } from './tool-command.ts'

const COMMAND = /^\/(?:[\w-]+\.[\w-]+)?$/

/** Whether a text is a command without arguments, or the beginning of any, and there is a message box for it. */
export function isCommand(text: string): boolean {
  return COMMAND.test(text) && typeof location !== 'undefined' && location.pathname === '/chat'
}

/**
 * A command that an answer mentions: chosen, it is put into the message box, and not sent. Only what the reader could
 * choose from the list of tools: an answer may be written by anyone, and arguments are the reader's to give.
 */
export function CommandMention({ command }: { readonly command: string }) {
  const tools = useQuery(toolsQuery).data?.items
  const known = command === '/' || tools?.some((tool) => `/${toolName(tool)}` === command) === true
  if (!known) return <code>{command}</code>
  const text = command === '/' ? command : `${command} `
  return (
    <button
      type="button"
      title={t('chat.use_command')}
      onClick={() => requestMessage({ text, target: 'shown', send: false, place: 'instead' })}
      className="cursor-pointer rounded-sm underline decoration-accent/50 underline-offset-4 hover:decoration-accent"
    >
      <code>{command}</code>
    </button>
  )
}
