import { Plus, X } from 'lucide-react'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextArea } from '../../parts/controls/text-area.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { t } from '../../text/i18n.ts'
import { emptyWord, type WordDraft, type WordKind } from './condition-draft.ts'

interface CommandWordsProps {
  readonly words: readonly WordDraft[]
  readonly folders: boolean
  onChange(words: readonly WordDraft[]): void
}

const PROGRAM: readonly WordKind[] = ['text', 'in']
const WORD: readonly WordKind[] = ['text', 'in', 'under', 'range', 'any']

/** A whole command, word by word: the program first, and what each further word may be. */
export function CommandWords({ words, folders, onChange }: CommandWordsProps) {
  const set = (key: number, next: Partial<WordDraft>): void =>
    onChange(words.map((word) => (word.key === key ? { ...word, ...next } : word)))
  return (
    <div className="space-y-2">
      <ol className="space-y-2">
        {words.map((word, at) => {
          const name = at === 0 ? t('condition.program') : t('condition.word', { number: at })
          const last = at > 0 && at === words.length - 1
          const kinds = (at === 0 ? PROGRAM : last ? [...WORD, 'operands' as const] : WORD).filter(
            (kind) => kind === word.kind || kind !== 'under' || folders,
          )
          const shown = kinds.includes(word.kind) ? kinds : [...kinds, word.kind]
          return (
            <li key={word.key}>
              <div role="group" aria-label={name} className="flex items-start gap-2">
                <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[10rem_1fr]">
                  <SelectField
                    label={t('condition.kind_of', { name })}
                    hideLabel
                    value={word.kind}
                    onChange={(kind) => set(word.key, { kind: kind as WordKind })}
                    options={shown.map((value) => ({
                      value,
                      label: t(at === 0 && value === 'text' ? 'condition.program_is' : `condition.word_kind_${value}`),
                    }))}
                  />
                  <WordValue word={word} name={name} onChange={(next) => set(word.key, next)} />
                </div>
                <IconButton
                  label={t('condition.remove', { name })}
                  icon={X}
                  size="sm"
                  className={at === 0 ? 'invisible' : 'mt-1'}
                  onClick={() => onChange(words.filter(({ key }) => key !== word.key))}
                />
              </div>
            </li>
          )
        })}
      </ol>
      {words.at(-1)?.kind !== 'operands' && (
        <Button size="sm" icon={Plus} onClick={() => onChange([...words, emptyWord()])}>
          {t('condition.add_word')}
        </Button>
      )}
      <p className="text-muted text-sm">{t('condition.command_hint')}</p>
    </div>
  )
}

interface WordValueProps {
  readonly word: WordDraft
  readonly name: string
  onChange(next: Partial<WordDraft>): void
}

function WordValue({ word: { kind, text, min, max }, name, onChange }: WordValueProps) {
  const mono = '[&_input]:font-mono [&_input]:text-sm [&_textarea]:font-mono [&_textarea]:text-sm'
  const field = { label: t('condition.value_of', { name }), hideLabel: true, autoComplete: 'off', className: mono }
  if (kind === 'any' || kind === 'operands')
    return <p className="text-muted pt-1.5 text-sm">{t('condition.no_dash')}</p>
  if (kind === 'text')
    return <TextField {...field} value={text} spellCheck={false} onChange={(next) => onChange({ text: next })} />
  if (kind === 'range')
    return (
      <div className="grid grid-cols-2 gap-2">
        <TextField
          {...field}
          label={t('condition.from')}
          placeholder={t('condition.from')}
          inputMode="numeric"
          value={min}
          onChange={(next) => onChange({ min: next })}
        />
        <TextField
          {...field}
          label={t('condition.to')}
          placeholder={t('condition.to')}
          inputMode="numeric"
          value={max}
          onChange={(next) => onChange({ max: next })}
        />
      </div>
    )
  return (
    <TextArea
      {...field}
      hint={t(kind === 'in' ? 'condition.in_hint' : 'condition.under_hint')}
      rows={2}
      spellCheck={false}
      value={text}
      onChange={(next) => onChange({ text: next })}
    />
  )
}
