// RNEA, CRBA and ABA of Pinocchio on the mechanism that bench/engines/engines.ts writes to its input: the number of bodies, then of each its
// parent (0: the world), kind of joint (0 fixed, 1 revolute, 2 prismatic, 3 floating), axis, place in the parent (R by rows, p), mass, centre of
// mass and inertia about it (xx, xy, yy, xz, yz, zz). Prints the least time of each [us].
#include <pinocchio/fwd.hpp>
#include <chrono>
#include <iostream>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <vector>

using namespace pinocchio;

template <typename Call> double least(Call call)
{
  double best = 1e9;
  for (int round = 0; round < 200; round++) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < 100; k++) call();
    best = std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / 100);
  }
  return best;
}

// as its reader of URDF chooses them
JointModel turning(const Eigen::Vector3d & axis)
{
  if (axis == Eigen::Vector3d::UnitX()) return JointModelRX();
  if (axis == Eigen::Vector3d::UnitY()) return JointModelRY();
  if (axis == Eigen::Vector3d::UnitZ()) return JointModelRZ();
  return JointModelRevoluteUnaligned(axis);
}
JointModel sliding(const Eigen::Vector3d & axis)
{
  if (axis == Eigen::Vector3d::UnitX()) return JointModelPX();
  if (axis == Eigen::Vector3d::UnitY()) return JointModelPY();
  if (axis == Eigen::Vector3d::UnitZ()) return JointModelPZ();
  return JointModelPrismaticUnaligned(axis);
}

int main()
{
  int count;
  std::cin >> count;
  Model model;
  std::vector<JointIndex> joint{0};
  std::vector<SE3> within{SE3::Identity()};
  for (int i = 0; i < count; i++) {
    int parent, kind;
    Eigen::Vector3d axis, p, c;
    Eigen::Matrix3d R;
    double mass;
    Symmetric3 I;
    std::cin >> parent >> kind;
    for (int k = 0; k < 3; k++) std::cin >> axis[k];
    for (int k = 0; k < 9; k++) std::cin >> R(k / 3, k % 3);
    for (int k = 0; k < 3; k++) std::cin >> p[k];
    std::cin >> mass;
    for (int k = 0; k < 3; k++) std::cin >> c[k];
    for (int k = 0; k < 6; k++) std::cin >> I.data()[k];
    const SE3 place = within[parent] * SE3(R, p);
    if (kind == 0) {
      joint.push_back(joint[parent]);
      within.push_back(place);
    } else {
      const JointModel made = kind == 1 ? turning(axis) : kind == 2 ? sliding(axis) : JointModel(JointModelFreeFlyer());
      joint.push_back(model.addJoint(joint[parent], made, place, "joint " + std::to_string(i)));
      within.push_back(SE3::Identity());
    }
    if (mass > 0) model.appendBodyToJoint(joint.back(), Inertia(mass, c, I), within.back());
  }
  Data data(model);
  const Eigen::VectorXd q = integrate(model, neutral(model), 0.3 * Eigen::VectorXd::Random(model.nv));
  const Eigen::VectorXd v = Eigen::VectorXd::Random(model.nv), a = Eigen::VectorXd::Random(model.nv);
  double sum = 0;
  const double by_rnea = least([&] { sum += rnea(model, data, q, v, a)[0]; });
  const double by_crba = least([&] { sum += crba(model, data, q)(0, 0); });
  const double by_aba = least([&] { sum += aba(model, data, q, v, a)[0]; });
  std::cout << "{\"nv\": " << model.nv << ", \"rnea\": " << by_rnea << ", \"crba\": " << by_crba << ", \"aba\": " << by_aba << ", \"sum\": " << sum << "}\n";
}
