/** Each breaks out of another place: text, an attribute, an address, a script, a style, a template. */
export const hostileTexts = [
  '<script>window.hit=1</script>',
  '<img src=x onerror=window.hit=1>',
  '<svg onload=window.hit=1>',
  '"><iframe srcdoc="<script>parent.hit=1</script>">',
  "' onfocus=window.hit=1 autofocus tabindex=1 x='",
  'javascript:window.hit=1',
  '</title><script>window.hit=1</script>',
  '{{constructor.constructor("window.hit=1")()}}${window.hit=1}',
  '<style>*{display:none}</style>',
  '#/vault/1"><b>&lt;b&gt;&amp;',
  '<a href="javascript:window.hit=1">go</a>',
]
