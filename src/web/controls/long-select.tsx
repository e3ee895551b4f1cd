import { useDeferredValue, useMemo, useState } from 'react'
import { useWordsOf } from '../words/language.tsx'
import { createFilter, FilterField } from './filter-field.tsx'
import { listWords } from './list-words.ts'
import { SelectInput } from './select-input.tsx'

/** Longer lists open slowly, and are too long to look through. */
const mostOffered = 100

interface Option {
  readonly value: string
  readonly text: string
}

interface Props {
  readonly label: string
  readonly name: string
  readonly options: readonly Option[]
  readonly defaultValue?: string
  /** The value, where the view keeps it. */
  readonly value?: string
  readonly autoFocus?: boolean
  readonly onChange?: (value: string) => void
}

/**
 * A choice of one of any number of options. Beyond the limit, a filter selects those that the browser's control offers.
 */
export function LongSelect({
  label,
  name,
  options,
  defaultValue = '',
  value: held,
  autoFocus = false,
  onChange,
}: Props) {
  const words = useWordsOf(listWords)
  const [own, setOwn] = useState(defaultValue)
  const chosen = held ?? own
  const [filter, setFilter] = useState('')
  const deferred = useDeferredValue(filter)
  const fitting = useMemo(() => {
    const fits = createFilter(deferred)
    return options.filter(({ text }) => fits(text.toLowerCase()))
  }, [options, deferred])
  const offered = fitting.slice(0, mostOffered)
  // The chosen option is always offered, because a filter must not change the choice.
  const isOffered = offered.some(({ value }) => value === chosen)
  const kept = isOffered ? [] : options.filter(({ value }) => value === chosen)
  const isLong = options.length > mostOffered
  const further = fitting.length - offered.length
  const told = deferred.trim() === '' ? '' : words.fitting(fitting.length, options.length)
  return (
    <>
      {isLong && (
        <FilterField label={words.filterOf(label)} value={filter} onChange={setFilter} autoFocus={autoFocus} />
      )}
      <SelectInput
        label={label}
        name={name}
        autoFocus={autoFocus && !isLong}
        options={[...kept, ...offered]}
        value={chosen}
        onChange={(value) => {
          setOwn(value)
          onChange?.(value)
        }}
      />
      {isLong && (
        <p className="soft" role="status">
          {further > 0 ? words.andMore(further) : told}
        </p>
      )}
    </>
  )
}
