interface Drawn {
  canvas: OffscreenCanvas | null
  context: OffscreenCanvasRenderingContext2D | null
}

/** Canvases for pdf.js in a worker, which has no DOM. */
export class WorkerCanvases {
  create(width: number, height: number): Drawn {
    const canvas = new OffscreenCanvas(width, height)
    return { canvas, context: canvas.getContext('2d', { willReadFrequently: true }) }
  }

  getNoAlphaContext(canvas: OffscreenCanvas) {
    return canvas.getContext('2d', { alpha: false, willReadFrequently: true })
  }

  reset({ canvas }: Drawn, width: number, height: number): void {
    if (canvas === null) return
    canvas.width = width
    canvas.height = height
  }

  destroy(drawn: Drawn): void {
    if (drawn.canvas) drawn.canvas.width = drawn.canvas.height = 0
    drawn.canvas = null
    drawn.context = null
  }
}

/** Replaces the filters of pdf.js, which are DOM elements. Without them, pdf.js computes each pixel itself. */
export class PlainFilters {
  addFilter = () => 'none'
  addHCMFilter = () => 'none'
  addAlphaFilter = () => 'none'
  addLuminosityFilter = () => 'none'
  addKnockoutFilter = () => 'none'
  addHighlightHCMFilter = () => 'none'
  addSelectionHCMFilter = () => 'none'
  addSelectionFilter = () => 'none'
  createSelectionStyle = () => null
  destroy() {}
}
