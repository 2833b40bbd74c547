"""Charts of horizontal bars with error bars, as SVG."""
import html
import math

WIDTH, LEFT, RIGHT, ROW, HEAD = 820, 330, 90, 22, 34


def svg(panels, logarithmic=False):
    """panels: [(title, [(label, value, error)])], each with a scale of its own. Rows of ours are green."""
    parts, top = [], 8
    for title, rows in panels:
        parts.append(f'<text x="{LEFT}" y="{top + 18}" font-size="15">{html.escape(title)}</text>')
        top += HEAD
        parts.extend(panel(rows, top, logarithmic))
        top += ROW * len(rows) + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" font-family="sans-serif" font-size="12">\n'
        f'<rect width="{WIDTH}" height="{top}" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def panel(rows, top, logarithmic):
    most = max(value + noted(error) for _, value, error in rows)
    low = min(value for _, value, _ in rows) / 2 if logarithmic else 0

    def x(value):
        if logarithmic:
            share = math.log(max(value, low) / low) / math.log(most / low)
        else:
            share = max(0, value) / most
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    for index, (label, value, error) in enumerate(rows):
        y = top + ROW * index
        colour = "#0b6e4f" if label.startswith(("ours", "a field: ours", "heapReader")) or ": ours" in label else "#9aa5b1"
        end = x(value)
        yield f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{html.escape(label.replace("`", ""))}</text>'
        yield f'<rect x="{LEFT}" y="{y + 3}" width="{end - LEFT:.1f}" height="{ROW - 7}" fill="{colour}"/>'
        if noted(error):
            a, b, middle = x(value - error), x(value + error), y + ROW / 2 - 0.5
            yield (f'<path d="M{a:.1f} {middle} H{b:.1f} M{a:.1f} {middle - 4} v8 M{b:.1f} {middle - 4} v8" '
                   f'stroke="#222" fill="none"/>')
        yield f'<text x="{x(value + noted(error)) + 6:.1f}" y="{y + 14}">{value:.3g}</text>'


def noted(error):
    return error if error == error else 0
