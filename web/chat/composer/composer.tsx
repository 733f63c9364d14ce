import { useQuery } from '@tanstack/react-query'
import { ArrowUp, ListPlus, Square, Zap } from 'lucide-react'
import {
  type ClipboardEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { HOST_ARGUMENT } from '../../../contract/host-values.ts'
import { classNames } from '../../parts/class-names.ts'
import { commandsQuery } from '../../commands/commands-query.ts'
import { byLastUse } from '../../commands/last-used.ts'
import { useRunCommand } from '../../commands/use-run-command.ts'
import { hostWords } from '../../hosts/find-hosts.ts'
import { hostsQuery } from '../../hosts/hosts-query.ts'
import { openOverlay } from '../../shell/frame/overlay.ts'
import { t } from '../../text/i18n.ts'
import { useShortcut } from '../../shell/keys/use-shortcut.ts'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { mayBeQueuedQuery, toolsQuery } from '../../client/queries.ts'
import { attachmentChipsPart } from './attachment-chips-part.ts'
import { ComposerHint } from './composer-hint.tsx'
import { draftInstead } from './draft.ts'
import { EnginePickerPlace } from './engine-picker-place.tsx'
import { learn } from './learned-hints.ts'
import { optionId } from './option-id.ts'
import { queuePart } from './queue/queue-part.ts'
import { AttachButton } from './resources/attach-button.tsx'
import type { Suggestion } from './tools/slash-suggestions.ts'
import { commandTool, toolArguments, toolName } from './tool-command.ts'
import type { ToolFormHandle } from './tools/tool-form.tsx'
import { toolsPart } from './tools/tools-part.ts'
import type { DraftHandle } from './use-draft.ts'
import { useFileDrop } from '../../uploads/use-file-drop.ts'
import { useLater } from '../../parts/later.ts'
import { isMac } from '../../shell/keys/platform.ts'
import { useSlashCompletion } from './use-slash-completion.ts'
import { useSubmit } from './use-submit.ts'
import { useUploads } from '../../uploads/use-uploads.ts'

const NONE: readonly never[] = []
/** The machines are asked for only where a tool is told which of them. */
const MAY_NAME_HOST = new RegExp(`^/\\S+\\s(?:[^]*\\s)?${HOST_ARGUMENT}=`)

export interface ComposerProps {
  readonly conversationId: string | null
  readonly draft: DraftHandle
  /** A new number moves the focus into the box, because text was inserted from elsewhere. */
  readonly focusRequest: number
  /** Whether a run is active in this conversation; `waiting`: it waits for a decision. */
  readonly run: 'none' | 'active' | 'waiting'
  /** The message is being sent. */
  readonly sending: boolean
  /** Why the last attempt to send failed; the text is still in the box. */
  readonly error: unknown
  onSend(): void
  onStop(): void
}

/** The message box: text, files, quick commands and tools behind `/`, send and stop. */
export function Composer({ conversationId, draft, focusRequest, run, sending, error, onSend, onStop }: ComposerProps) {
  const { text, files } = draft.draft
  const box = useRef<HTMLTextAreaElement>(null)
  const [caret, setCaret] = useState(0)
  const [focused, setFocused] = useState(false)
  /** Name of the tool whose arguments are shown as a form. */
  const [formOf, setFormOf] = useState<string | null>(null)
  const listId = useId()
  const hintId = useId()
  const tools = useQuery(toolsQuery).data?.items ?? NONE
  const saved = useQuery(commandsQuery).data?.items
  const commands = useMemo(() => byLastUse(saved ?? []), [saved])
  const known = useQuery({ ...hostsQuery, enabled: MAY_NAME_HOST.test(text) }).data?.items
  const hosts = useMemo(() => hostWords(known ?? []), [known])
  const runCommand = useRunCommand()
  const uploads = useUploads(conversationId, draft.addFile)
  const dragging = useFileDrop(uploads.add)
  const part = useLater(toolsPart)
  const choose = (suggestion: Suggestion): void => {
    if (suggestion.kind === 'host') {
      const named = part?.withHost(text, caret, suggestion.word) ?? text
      draft.change({ text: named })
      setCaret(named.length)
      return
    }
    const rest = text.slice(caret).trimStart()
    const next = suggestion.kind === 'tool' ? `/${toolName(suggestion.tool)} ${rest}` : rest
    draft.change({ text: next })
    setCaret(next.length)
    if (suggestion.kind === 'command') runCommand(suggestion.command)
    else if (toolArguments(suggestion.tool.input_schema).length > 0) setFormOf(toolName(suggestion.tool))
  }
  const completion = useSlashCompletion(text, caret, commands, tools, hosts, part?.suggest ?? null, choose)
  const named = commandTool(tools, text)
  const chips = useLater(attachmentChipsPart, { wanted: files.length + uploads.uploads.length > 0 })
  const queue = useLater(queuePart, { wanted: useQuery(mayBeQueuedQuery(conversationId)).data === true })
  const form = useRef<ToolFormHandle>(null)
  // The form is of this command only: the same tool typed later is text.
  if (formOf !== null && (named === null || toolName(named) !== formOf)) setFormOf(null)
  const asForm = part !== null && named !== null && formOf === toolName(named)
  const listOpen = part !== null && completion.open && focused && !sending && tools.length + commands.length > 0

  useLayoutEffect(() => {
    const area = box.current
    if (!area) return
    area.style.height = 'auto'
    area.style.height = `${area.scrollHeight}px`
  }, [text, asForm])
  // A new conversation starts with typing; on a touch screen the keyboard would cover the page.
  useEffect(() => {
    if (conversationId === null && matchMedia('(pointer: fine)').matches) box.current?.focus()
  }, [conversationId])
  useEffect(() => {
    if (focusRequest === 0 || box.current === null) return
    box.current.focus()
    // A list may belong to the text that was inserted.
    setCaret(box.current.value.length)
  }, [focusRequest])

  const [focusText, setFocusText] = useState(false)
  useEffect(() => {
    if (!focusText) return
    box.current?.focus()
    setFocusText(false)
  }, [focusText])
  useShortcut('focus_message', () => {
    const before = draft.now()
    // The list opens at once; what was in the box comes back when the tool has run, or the box is emptied.
    if (!sending && !before.text.startsWith('/')) {
      draft.change(draftInstead(before, '/'))
      setCaret(1)
    }
    box.current?.focus()
  })

  const running = run !== 'none'
  const sent = useSubmit({ conversationId, draft, uploads, running, sending, onSend })
  const locked = sending || sent.busy
  const submit = (now: boolean): void => {
    if (asForm && form.current?.check() === false) return
    if (sent.ready) learn(running ? 'queue' : 'send')
    sent.submit(now)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (listOpen && event.key === 'Escape' && text === '/') draft.change({ text: '' })
    if (listOpen && completion.onKeyDown(event)) return
    // 229: a key consumed by an input method, in browsers that end the composition before the key event.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return
    event.preventDefault()
    submit(isMac ? event.metaKey : event.ctrlKey)
  }
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = [...event.clipboardData.files]
    if (pasted.length === 0) return
    event.preventDefault()
    uploads.add(pasted)
  }
  return (
    <div className="mx-auto w-full max-w-3xl px-4 pb-4 sm:px-6">
      {error !== null && (
        <ErrorNotice
          title={t('chat.not_sent')}
          error={error}
          className="mb-2"
          onRetry={sent.ready ? onSend : undefined}
        />
      )}
      {sent.error !== null && <ErrorNotice title={t('queue.not_queued')} error={sent.error} className="mb-2" />}
      {queue && conversationId !== null && <queue.QueuePanel conversationId={conversationId} running={running} />}
      <div className="relative">
        {listOpen && (
          <part.SlashListbox
            id={listId}
            suggestions={completion.suggestions}
            active={completion.active}
            onActive={completion.setActive}
            onChoose={choose}
          />
        )}
        <div
          className={classNames(
            'overflow-hidden rounded-xl border bg-surface shadow-sm transition-colors focus-within:border-accent',
            dragging ? 'border-accent bg-accent-soft' : 'border-line-strong',
          )}
        >
          {named && part && !asForm && <part.ToolHint tool={named} onAsForm={() => setFormOf(toolName(named))} />}
          {asForm && (
            <part.ToolForm
              key={toolName(named)}
              tool={named}
              text={text}
              disabled={locked}
              handle={form}
              onText={(next) => draft.change({ text: next })}
              onSubmit={submit}
              onAsText={() => {
                setFormOf(null)
                setFocusText(true)
              }}
            />
          )}
          {chips && (
            <chips.AttachmentChips
              files={files}
              uploads={uploads}
              onRemove={(id) => draft.change({ files: files.filter((file) => file.file_id !== id) })}
            />
          )}
          <textarea
            ref={box}
            value={text}
            rows={1}
            readOnly={locked}
            hidden={asForm}
            enterKeyHint="send"
            aria-label={t('chat.message')}
            // While the list is open, the box controls it and is announced that way.
            role={listOpen ? 'combobox' : undefined}
            aria-expanded={listOpen ? true : undefined}
            aria-describedby={hintId}
            aria-autocomplete="list"
            aria-controls={listOpen ? listId : undefined}
            aria-activedescendant={
              listOpen && completion.suggestions.length > 0 ? optionId(listId, completion.active) : undefined
            }
            placeholder={t(
              dragging ? 'chat.drop_here' : run === 'waiting' ? 'chat.message_waiting' : 'chat.message_placeholder',
            )}
            onChange={(event) => {
              draft.change({ text: event.target.value })
              setCaret(event.target.selectionStart)
            }}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
            onFocus={() => setFocused(true)}
            onBlur={() => {
              setFocused(false)
              // Only the list was wanted.
              if (text === '/') draft.change({ text: '' })
            }}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            className="block max-h-[40dvh] [&[hidden]]:hidden w-full resize-none overflow-y-auto bg-transparent px-3.5 pt-3 pb-1 text-[0.9375rem] leading-6 outline-none max-sm:text-[1rem]"
          />
          <div className="flex items-center gap-1 px-1.5 pb-1.5">
            <AttachButton onFiles={uploads.add} onStored={(file) => draft.addFile(conversationId, file)} />
            <IconButton label={t('commands.title')} icon={Zap} onClick={() => openOverlay({ kind: 'commands' })} />
            <EnginePickerPlace conversationId={conversationId} running={run !== 'none'} />
            <ComposerHint id={hintId} run={run} typed={text !== ''} waitsForFiles={sent.waitsForFiles} />
            {running && (
              <IconButton
                label={t('chat.stop')}
                icon={Square}
                variant="secondary"
                disabled={sent.busy}
                onClick={onStop}
                className="rounded-lg"
              />
            )}
            {(!running || text.trim() !== '') && (
              <IconButton
                label={t(running ? 'queue.queue' : 'chat.send')}
                icon={running ? ListPlus : ArrowUp}
                variant="primary"
                disabled={!sent.ready || sent.waitsForFiles}
                onClick={() => submit(false)}
                className="rounded-lg"
              />
            )}
          </div>
        </div>
      </div>
    </div>
  )
}
