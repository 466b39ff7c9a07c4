#!/usr/bin/env bash
# Guess: a contact begins at the larger margin of its two geoms, and a gap as wide as the margin lets it be seen without a force.
# Seen: so it is up to mujoco 3.4.0. Since 3.5.0 the two margins add up, and since 3.9.0 a gap no longer takes from the margin but reaches outwards from it:
# the same file, with margin="0.03" gap="0.03" for contacts that only report, now floats 3 cm above the floor, without a word on loading.
# Whoever takes such a file to a newer mujoco sets margin to 0 and keeps the gap.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cat > "$folder/rows.py" <<'PY'
import mujoco


def rows(floor, ball, height):
    """Rows of force of a ball of 0.1 m whose lowest point is at a height above the floor."""
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><worldbody><geom type="plane" size="1 1 1" {floor}/><body pos="0 0 {0.1 + height}"><freejoint/>'
        f'<geom size=".1" {ball}/></body></worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data.nefc


added = rows('margin=".01"', 'margin=".02"', 0.025)
reported = rows('margin=".03" gap=".03"', "", 0.02)
print(f"{mujoco.__version__}: {added} {reported}")
PY
seen=""
for version in 3.4.0 3.5.0 3.8.1 3.9.0 4.0.0; do
  python3 -m venv "$folder/$version"
  "$folder/$version/bin/pip" install -q "mujoco==$version"
  seen+="$("$folder/$version/bin/python" "$folder/rows.py")"$'\n'
done
echo "rows of force at 2.5 cm under margins of 1 and 2 cm, and at 2 cm under a margin and gap of 3 cm:"
printf '%s' "$seen"
[ "$seen" = $'3.4.0: 0 0\n3.5.0: 4 0\n3.8.1: 4 0\n3.9.0: 4 4\n4.0.0: 4 4\n' ] || { echo changed; exit 1; }
