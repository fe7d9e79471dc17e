// Arrows in space: instanced meshes that grow, shafts and tips of them.
import {
  BufferGeometry, Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, InstancedMesh, Matrix4, MeshBasicMaterial,
  MeshLambertMaterial, Object3D, Quaternion, Scene, Vector3,
} from "three";

const UP = new Vector3(0, 0, 1);

// An instanced mesh that grows.
export class Pool {
  mesh: InstancedMesh;
  private room = 64;

  constructor(private readonly scene: Scene, private readonly geometry: BufferGeometry,
    private readonly material: MeshBasicMaterial | MeshLambertMaterial) {
    this.mesh = this.make();
  }

  private make(): InstancedMesh {
    const mesh = new InstancedMesh(this.geometry, this.material, this.room);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.setColorAt(0, new Color());
    mesh.renderOrder = 4;
    this.scene.add(mesh as Object3D);
    return mesh;
  }

  begin(count: number): void {
    if (count > this.room) {
      this.scene.remove(this.mesh as Object3D);
      this.mesh.dispose();
      this.room = 2 * count;
      this.mesh = this.make();
    }
  }

  set(index: number, matrix: Matrix4, colour: Color): void {
    this.mesh.setMatrixAt(index, matrix);
    this.mesh.setColorAt(index, colour);
  }

  end(count: number): void {
    this.mesh.count = count;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor!.needsUpdate = true;
  }
}

// Forces have one tip, moments two. All are drawn over everything else.
export class Arrows {
  private readonly shafts: Pool;
  private readonly tips: Pool;
  private readonly matrix = new Matrix4();
  private readonly turn = new Quaternion();
  private readonly at = new Vector3();
  private readonly size = new Vector3();
  private readonly along = new Vector3();
  private shaft = 0;
  private tip = 0;

  // thick: m, the largest radius of a shaft
  constructor(scene: Scene, private readonly thick: number) {
    const make = () => new MeshLambertMaterial({ emissive: 0x333333, depthTest: false, transparent: true });
    this.shafts = new Pool(scene, new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5), make());
    this.tips = new Pool(scene, new ConeGeometry(1, 1, 20).rotateX(Math.PI / 2).translate(0, 0, 0.5), make());
  }

  begin(count: number): void {
    this.shaft = this.tip = 0;
    this.shafts.begin(count);
    this.tips.begin(2 * count);
  }

  add(from: Vector3, vector: Vector3, colour: Color, tips = 1): void {
    const length = vector.length();
    if (!(length > 0) || !Number.isFinite(length)) return;
    this.along.copy(vector).divideScalar(length);
    this.turn.setFromUnitVectors(UP, this.along);
    const width = Math.min(this.thick, length * 0.16);
    const head = Math.min(width * 5, (length * 0.45) / tips);
    this.matrix.compose(this.at.copy(from), this.turn, this.size.set(width, width, length - head));
    this.shafts.set(this.shaft++, this.matrix, colour);
    for (let k = 0; k < tips; k++) {
      this.at.copy(from).addScaledVector(this.along, length - head - 0.85 * head * k);
      this.matrix.compose(this.at, this.turn, this.size.set(2.3 * width, 2.3 * width, head));
      this.tips.set(this.tip++, this.matrix, colour);
    }
  }

  end(): void {
    this.shafts.end(this.shaft);
    this.tips.end(this.tip);
  }
}
