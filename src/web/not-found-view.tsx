import { useWords } from './words/language.tsx'
import { ViewTitle } from './controls/view-title.tsx'

export function NotFoundView() {
  const words = useWords()
  return (
    <div className="page">
      <ViewTitle text={words.notFoundTitle} />
      <p>{words.notFoundText}</p>
      <p>
        <a href="#/">{words.toVaults}</a>
      </p>
    </div>
  )
}
