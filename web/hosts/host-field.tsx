import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { TextField, type TextFieldProps } from '../parts/controls/text-field.tsx'
import { hostWords } from './find-hosts.ts'
import { hostsQuery } from './hosts-query.ts'

/** A machine or a tag, by its name: those that calls can use are offered. Not only they are taken: the server decides. */
export function HostField(props: Omit<TextFieldProps, 'list' | 'autoComplete' | 'spellCheck'>) {
  const listId = useId()
  const words = hostWords(useQuery(hostsQuery).data?.items ?? [])
  return (
    <>
      <TextField {...props} list={listId} autoComplete="off" autoCapitalize="none" spellCheck={false} />
      <datalist id={listId}>
        {words.map((word) => (
          <option key={word} value={word} />
        ))}
      </datalist>
    </>
  )
}
