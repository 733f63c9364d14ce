import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Completed, suggestionsQuery } from './resource-queries.ts'

/** The module is asked once the person has stopped typing for so long. */
const PAUSE_MS = 150

/** What the module suggests for an argument. None for one that is filled in as suggested, and none where it fails. */
export function useSuggestions(completed: Completed, wanted: boolean): readonly string[] {
  const key = JSON.stringify(completed)
  const [asked, setAsked] = useState(key)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(key), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [key])
  const query = useQuery({ ...suggestionsQuery(JSON.parse(asked) as Completed), enabled: wanted })
  const values = wanted && !query.isError ? (query.data?.values ?? []) : []
  return values.length === 1 && values[0] === completed.value ? [] : values
}
