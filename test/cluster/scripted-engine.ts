import { startScriptedModel, type ScriptedRequest, type ScriptedStep } from '../stage/servers/scripted-model.ts'
import type { Ledger } from './ledger.ts'

const WORDS = 'What is written here comes word by word, and none of them may get lost on the way to whoever reads it.'

/** An engine that streams words, and asks for a command that writes into the ledger when the message says `do <mark>`. */
export function startEngine(ledger: Ledger) {
  return startScriptedModel((request) => answer(request, ledger))
}

function answer(request: ScriptedRequest, ledger: Ledger): ScriptedStep[] {
  const last = request.messages.at(-1)
  if (last?.role === 'tool') return [{ text: 'That is done.' }]
  const content = request.messages.findLast(({ role }) => role === 'user')?.content ?? ''
  const asked = typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('\n')
  const mark = /\bdo (E\d+-\d+)/.exec(asked)?.[1]
  if (mark === undefined) return WORDS.split(/(?=\s)/).flatMap((text): ScriptedStep[] => [{ text }, { pause: 30 }])
  const command = { command: ledger.command(mark), shell: true }
  return [{ text: 'I will write it down. ' }, { calls: [{ name: 'system.run_command', arguments: command }] }]
}
