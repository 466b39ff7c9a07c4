/** Every element of xacro, and expressions of every kind; `legs.xacro` and `numbers.yaml` are beside it. */
export const xacroText = `<?xml version="1.0"?>
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="legs" default="2"/>
  <xacro:arg name="fancy" default="false"/>
  <xacro:property name="mass" value="\${2 ** 2}"/>
  <xacro:property name="names" value="\${['left', 'right'] + [str(k) for k in range(2)]}"/>
  <xacro:property name="sizes" value="\${dict(length=0.4, width=0.1)}"/>
  <xacro:property name="config" value="\${xacro.load_yaml('numbers.yaml')}"/>
  <xacro:property name="lazy" value="\${mass * 2}" lazy_eval="true"/>
  <xacro:property name="plate"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></xacro:property>
  <xacro:include filename="legs.xacro"/>
  <xacro:include filename="missing_*.xacro"/>
  <xacro:macro name="body" params="name size:=\${sizes['length']} *shape **more parent:='' m:=^|1">
    <link name="\${name}">
      <inertial>
        <mass value="\${m if m > 0 else 1}"/>
        <inertia ixx="\${m * size ** 2}" iyy="\${m * size ** 2}" izz="\${m * size ** 2}"/>
      </inertial>
      <xacro:insert_block name="shape"/>
      <xacro:insert_block name="more"/>
    </link>
    <xacro:if value="\${parent != ''}">
      <joint name="\${parent}_\${name}" type="continuous">
        <parent link="\${parent}"/><child link="\${name}"/>
        <origin xyz="\${cos(pi / 3)} \${sin(radians(30))} \${-0.1 * len(name)}"/>
        <axis xyz="0 0 1"/>
      </joint>
    </xacro:if>
  </xacro:macro>
  <xacro:body name="trunk"><xacro:insert_block name="plate"/><more/></xacro:body>
  <xacro:body name="\${names[0]}" parent="trunk" m="\${config['mass']}">
    <visual><geometry><sphere radius="\${max(0.1, min(0.2, config['sizes'][0]))}"/></geometry></visual>
    <more><collision><geometry><sphere radius="\${float('0.1')}"/></geometry></collision></more>
  </xacro:body>
  <xacro:macro name="chain" params="n last:=trunk">
    <xacro:if value="\${n > 0}">
      <xacro:leg name="leg\${n}" parent="\${last}"/>
      <xacro:chain n="\${n - 1}" last="leg\${n}"/>
    </xacro:if>
  </xacro:macro>
  <xacro:chain n="$(arg legs)"/>
  <xacro:unless value="$(arg fancy)">
    <xacro:element xacro:name="\${'link'}"><xacro:attribute name="name" value="hat"/></xacro:element>
    <joint name="hat" type="fixed"><parent link="trunk"/><child link="hat"/></joint>
  </xacro:unless>
  <xacro:call macro="\${'leg'}" name="\${'%s_%d' % ('last', 3)}" parent="trunk"/>
  <gazebo reference="trunk"><mu1>\${0.5 + 1e-1}</mu1></gazebo>
  <material name="$(optenv COLOUR red)"><color rgba="\${' '.join([str(x / 2) for x in [1, 2, 0, 2]])}"/></material>
</robot>
`

export const xacroLegs = `<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="leg_mass" value="0.5"/>
  <xacro:macro name="leg" params="name parent">
    <link name="\${name}"><inertial><mass value="\${leg_mass}"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
    <joint name="\${name}_joint" type="revolute">
      <parent link="\${parent}"/><child link="\${name}"/>
      <limit lower="\${-pi / 2}" upper="\${pi / 2}" effort="1" velocity="1"/>
    </joint>
  </xacro:macro>
</robot>
`

export const xacroYaml = `mass: 0.5
sizes: [0.1, 0.2]
angle: !degrees 90
shared: &shared {a: 1, b: two}
again: *shared
text: "quoted"
nothing: ~
`

const open = '$' + '{'

export const xacroDictionary: readonly string[] = [
  open,
  '}',
  `${open}1/0}`,
  `${open}10**10**10}`,
  `${open}'a'*10**9}`,
  `${open}range(10**9)}`,
  `${open}[[x]*1000 for x in range(1000)]}`,
  `${open}names[9]}`,
  `${open}sizes.missing}`,
  `${open}lazy}`,
  `${open}float('nan')}`,
  `${open}1e308*10}`,
  `${open}().__class__}`,
  `${open}__import__('os')}`,
  `${open}''.constructor}`,
  `${open}lambda: 0}`,
  `${open}'%99999999d' % 1}`,
  `${open}'{:>99999999}'.format(1)}`,
  `${open}(((((((((((1`,
  ' if True else ',
  ' for x in names',
  ' and ',
  ' not ',
  ' ** ',
  '[',
  ']',
  '(',
  ')',
  '{',
  ':',
  ',',
  '\\',
  "'",
  '"',
  '%',
  '$(find lookalike)',
  '$(find ../..)',
  '$(arg legs)',
  '$(eval 1+1)',
  '$(env HOME)',
  '$(dirname)',
  '$(',
  '$$',
  '<xacro:property name="mass" value="' + open + 'mass}"/>',
  '<xacro:property name="__proto__" value="1"/>',
  '<xacro:property name="a" default="1" scope="global"/>',
  '<xacro:property name="mass"><link name="x"/></xacro:property>',
  '<xacro:include filename="legs.xacro"/>',
  '<xacro:include filename="r.xacro"/>',
  '<xacro:include filename="*"/>',
  '<xacro:include filename="/etc/passwd" optional="true"/>',
  '<xacro:include filename="legs.xacro" ns="n"/>',
  '<xacro:macro name="leg" params="">',
  '</xacro:macro>',
  '<xacro:leg name="x" parent="trunk"/>',
  '<xacro:chain n="1000000"/>',
  '<xacro:chain n="-1"/>',
  '<xacro:body name="x"/>',
  '<xacro:call macro="chain" n="3"/>',
  '<xacro:if value="1">',
  '</xacro:if>',
  '<xacro:unless value="' + open + "''" + '}">',
  '<xacro:insert_block name="shape"/>',
  '<xacro:insert_block name="plate"/>',
  '<xacro:element xacro:name="__proto__"/>',
  '<xacro:element xacro:name="1 2"/>',
  '<xacro:attribute name="__proto__" value="1"/>',
  '<xacro:unknown/>',
  '**more',
  '*shape',
  ':=^|',
  ':=',
  ':=^',
  '&lt;',
  '&#x0;',
  '<![CDATA[',
  '<!--',
  '<?',
  '__proto__',
  'constructor',
  'x'.repeat(3000),
]
