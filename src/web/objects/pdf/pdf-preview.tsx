import { useEffect, useRef, useState } from 'react'
import { useAction } from '../../controls/action.ts'
import { useIsSlow } from '../../controls/slow-work.ts'
import { Pager } from '../../controls/pager.tsx'
import { ErrorMessage } from '../../controls/error-message.tsx'
import { useWordsOf } from '../../words/language.tsx'
import { type DrawnPage, PdfDrawing, UndrawablePage } from './pdf-drawing.ts'
import { pdfWords } from './pdf-words.ts'

interface Props {
  readonly file: Uint8Array<ArrayBuffer>
  readonly name: string
}

/** Pixels for each CSS pixel at least, so that a page can be enlarged by pinching. */
const leastDensity = 2

/** The pages of a PDF file, one at a time. */
export function PdfPreview({ file, name }: Props) {
  const words = useWordsOf(pdfWords)
  const { isUnderWay, error, run } = useAction()
  const isSlow = useIsSlow(isUnderWay)
  const [number, setNumber] = useState(1)
  const [count, setCount] = useState(0)
  const [drawn, setDrawn] = useState<DrawnPage>()
  const [drawing] = useState(() => new PdfDrawing(file))
  const frame = useRef<HTMLDivElement>(null)

  function turnTo(wanted: number): void {
    void run(async (signal) => {
      const room = frame.current?.clientWidth ?? 0
      const density = Math.max(leastDensity, devicePixelRatio)
      try {
        const page = await drawing.draw({ number: wanted, room, density }, signal)
        setCount(page.count)
        setDrawn(page)
      } catch (failure) {
        if (failure instanceof UndrawablePage) setCount((known) => failure.count || known)
        setDrawn(undefined)
        throw failure
      } finally {
        setNumber(wanted)
      }
    })
  }
  useEffect(() => {
    turnTo(1)
    return () => drawing.close()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the first page, once
  }, [])
  return (
    <div className="pdf" ref={frame}>
      {drawn && <PageOf page={drawn} name={words.pageOf(name, number, drawn.count)} />}
      {error instanceof UndrawablePage ? (
        <p role="alert">{words.undrawable[error.why]}</p>
      ) : (
        error !== undefined && <ErrorMessage error={error} onTryAgain={() => turnTo(number)} />
      )}
      <p className="soft" role="status">
        {isSlow ? words.drawing : ''}
      </p>
      <Pager
        pages={{ number, goOn: () => turnTo(number + 1), goBack: () => turnTo(number - 1) }}
        count={count}
        following={number < count ? '' : undefined}
        isTurning={isUnderWay}
      />
    </div>
  )
}

function PageOf({ page, name }: { readonly page: DrawnPage; readonly name: string }) {
  const words = useWordsOf(pdfWords)
  const canvas = useRef<HTMLCanvasElement>(null)
  const { picture, width, text } = page
  useEffect(() => {
    const { current } = canvas
    if (current === null) return
    current.width = picture.width
    current.height = picture.height
    current.getContext('bitmaprenderer')?.transferFromImageBitmap(picture)
  }, [picture])
  return (
    <>
      <canvas ref={canvas} role="img" aria-label={name} style={{ width }} />
      {text === '' ? (
        <p className="soft">{words.noText}</p>
      ) : (
        <details>
          <summary>{words.text}</summary>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard */}
          <pre tabIndex={0}>{text}</pre>
        </details>
      )}
    </>
  )
}
